--- Finds out which build of a program a context profile is from, and finds programs by
-- their build IDs.
--
-- @internal gprof.library.files.builds
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local escape = require "gprof.format.escape"
local profile_files = require "gprof.library.files.profile_files"
local sorted = require "gprof.format.sorted"

local builds = {}
builds.__index = builds

local LONGEST <const> = 64  -- bytes of a build ID

--- Returns which build a context profile is from.
-- @tparam string text at least its first bytes
-- @treturn string|nil the build ID of the program in hexadecimal; "" if the program has
--   none; nil if it is unknown
-- @treturn string|nil the path of the program when it ran
function builds.of_contexts(text)
  local _, _, _, id, path = core.contexts_origin(text)
  if not id or #id > LONGEST then return nil end
  return escape.in_hexadecimal(id), path
end

--- Returns which build a profile is from, by the context profile that it is, or that lies
-- beside it.
-- @tparam string path
-- @treturn string|nil as for `of_contexts`
-- @treturn string|nil
function builds.of_file(path)
  local contexts = profile_files.contexts_of(path)
  return builds.of_contexts(contexts and profile_files.start_of_contexts(contexts) or "")
end

-- Programs ------------------------------------------------------------------------------

-- Returns the build ID of a program; nil if the file is no program or has none.
local function id_of(path)
  local file <close> = core.file_status(path) == "file" and io.open(path, "rb") or nil
  if not file or file:read(4) ~= "\127ELF" then return nil end
  local image = core.image(path)
  return image and image.build_id
end

-- Adds the programs in a directory and its subdirectories. Of several with a build ID,
-- the first one counts.
local function add_directory(self, path)
  local kinds = core.list_directory(path) or {}
  for _, name in ipairs(sorted.keys(kinds)) do
    local inner = (path:gsub("/+$", "")) .. "/" .. name
    if kinds[name] == "directory" then
      add_directory(self, inner)
    elseif not name:find "%.debug$" then
      local id = id_of(inner)
      if id then self.paths[id] = self.paths[id] or inner end
    end
  end
end

--- Makes a collection of programs.
-- @tparam string path a program, or a directory of programs
-- @treturn builds
function builds.new(path)
  local self = setmetatable({ paths = {} }, builds)
  if core.file_status(path) == "directory" then
    add_directory(self, path)
    return self
  end
  self.only = id_of(path)
  if self.only then self.paths[self.only] = path end
  return self
end

--- Finds a program: in the collection, or where it was when it ran.
-- @tparam string id in hexadecimal
-- @tparam string recorded the path when it ran
-- @treturn string|nil path
function builds:find(id, recorded)
  return self.paths[id] or id_of(recorded) == id and recorded or nil
end

return builds
