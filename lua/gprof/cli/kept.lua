--- Files that nothing is written over, such as the program and what was read of it:
-- known by what no other file has, whatever name or link leads there.
--
-- @internal gprof.cli.kept
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local kept = {}
kept.__index = kept

--- No files.
-- @treturn kept
function kept.new()
  return setmetatable({ identities = {} }, kept)
end

-- What no other file has; nil if there is none of the name, or nothing to be lost in it.
local function identity_of(path)
  local kind, _, identity = core.file_status(path)
  return kind == "file" and identity or nil
end

--- Adds a file, if it is one.
-- @tparam string|nil path
function kept:add(path)
  local identity = path and identity_of(path)
  if identity then self.identities[identity] = true end
end

--- Tells whether a name leads to one of the files.
-- @tparam string|nil path
-- @treturn boolean
function kept:has(path)
  local identity = path and identity_of(path)
  return identity and self.identities[identity] or false
end

return kept
