--- Files that are written: what was read is not lost to them. No sum takes the place of
-- the program, and no export that of anything. (Sums may go where one of their parts
-- was.) It is loaded where something is written.
--
-- @internal gprof.cli.targets
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local kept = require "gprof.cli.kept"

local targets = {}

local raise <const> = require "gprof.library.failure".raise

-- Its debugging files, if it may have any.
local function add_debugging(files, image)
  if not core.likely_separate(image) then return end
  local places = require "gprof.library.debug_file".places(image)
  for _, path in ipairs(places) do files:add(path) end
end

-- Adds the program, and then its debugging files, of which a sum goes over neither.
local function add_program(files, image, sum)
  files:add(image.path)
  if files:has(sum) then raise("%s: is the program: no sum is written over it", sum) end
  add_debugging(files, image)
  if files:has(sum) then
    raise("%s: is the program's debugging file: no sum is written over it", sum)
  end
end

local function add_data(files, data)
  for _, file in ipairs(data.files) do files:add(file.path) end
end

-- Libraries beside the program, which are open.
local function add_libraries(files, libraries)
  for _, library in ipairs(libraries or {}) do
    files:add(library.image.path)
    add_debugging(files, library.image)
    add_data(files, library.data)
  end
end

local function add_all(files, names)
  for _, name in ipairs(names) do files:add(name) end
end

-- What else the settings name to be read.
local function add_named(files, settings)
  local old = settings.compare
  files:add(settings.external_symbol_table)
  files:add(settings.file_ordering)
  add_all(files, settings.profiles_from)
  add_all(files, old[1] and require "gprof.cli.compare_args".names(old) or {})
end

--- Refuses what would be written over something that was read, or over each other.
-- @tparam table settings with libraries that are open
-- @tparam image image
-- @tparam data data
-- @tparam string|nil sum where a sum is written to
-- @raise a table with the field `message`
function targets.check(settings, image, data, sum)
  local files = kept.new()
  add_program(files, image, sum)
  if not settings.exports[1] then return end
  add_data(files, data)
  add_libraries(files, settings.with)
  add_named(files, settings)
  require "gprof.cli.exports".check_targets(settings.exports, files, sum)
end

-- The files that functions are in, as far as they are found.
local function source_files(profile, directories)
  local files, seen = kept.new(), {}
  for _, name in profile:functions("address", "id", "file") do
    if name and not seen[name] then
      seen[name] = true
      files:add((require "gprof.library.source_text".find(name, directories)))
    end
  end
  return files
end

--- Refuses exports that would be written over the program's source. That is looked for
-- only if there is something at all that they would be written over.
-- @tparam {table,...} exports those that are wanted
-- @tparam profile profile
-- @tparam {string,...} directories to look for source in
-- @raise a table with the field `message`
function targets.check_source(exports, profile, directories)
  local files
  for _, export in ipairs(exports) do
    if export.path and core.file_status(export.path) == "file" then
      files = files or source_files(profile, directories)
      if files:has(export.path) then
        raise("%s: is the program's source: no export is written over it", export.path)
      end
    end
  end
end

return targets
