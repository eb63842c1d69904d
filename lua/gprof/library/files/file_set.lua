--- Sets of regular files. Files are compared by identity: all names of a file, and all
-- links to it, stand for one file.
--
-- @internal gprof.library.files.file_set
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local file_set = {}
file_set.__index = file_set

--- Makes an empty set.
-- @treturn file_set
function file_set.new()
  return setmetatable({ identities = {} }, file_set)
end

-- Returns a string with the device and inode of a regular file; nil for anything else.
local function identity_of(path)
  local kind, _, identity = core.file_status(path)
  return kind == "file" and identity or nil
end

--- Adds a file if the path leads to a regular one.
-- @tparam string|nil path
function file_set:add(path)
  local identity = path and identity_of(path)
  if identity then self.identities[identity] = true end
end

--- Returns whether a path leads to one of the files.
-- @tparam string|nil path
-- @treturn boolean
function file_set:contains(path)
  local identity = path and identity_of(path)
  return identity and self.identities[identity] or false
end

--- Returns what identifies the file at a path, even if there is no file yet: all names of
-- a file in its directory, and all symbolic links to it, give the same text.
-- @tparam string path
-- @treturn string
function file_set.place(path)
  path = core.real_path(path) or path
  local directory, name = path:match "^(.*/)" or ".", path:match "[^/]*$"
  local _, _, identity = core.file_status(directory)
  return (identity or directory) .. "/" .. name
end

return file_set
