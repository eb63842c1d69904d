--- Keeps output from overwriting input and other output: an export must not replace any
-- file that was read; a sum may replace the profiles that it contains, but no other file
-- that the command line names. Loaded on demand.
--
-- @internal gprof.cli.overwrite
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local file_set = require "gprof.library.files.file_set"
local profile_files = require "gprof.library.files.profile_files"
local raise <const> = require "gprof.library.failure".raise

local overwrite = {}

-- Adds the debugging files of an image to `files`, if it may have any.
local function add_debug_files(files, image)
  if not core.likely_separate(image) then return end
  local places = require "gprof.library.debug_file".places(image)
  for _, path in ipairs(places) do files:add(path) end
end

-- Raises an error if a sum, or the context profile beside it, would replace a file.
local function check_sums(files, sums, what)
  for _, sum in ipairs(sums) do
    if files:contains(sum) then raise("%s: the sum would overwrite %s", sum, what) end
  end
end

local function add_all(files, names)
  for _, name in ipairs(names) do files:add(name) end
end

-- Adds a profile, and the files beside it.
local function add_profile(files, path)
  add_all(files, profile_files.sum_paths(path))
end

local function add_data(files, data)
  for _, file in ipairs(data.files) do
    if file.path then add_profile(files, file.path) end
  end
end

local function add_libraries(files, libraries)
  for _, library in ipairs(libraries or {}) do
    files:add(library.image.path)
    add_debug_files(files, library.image)
    add_data(files, library.data)
  end
end

-- Adds the input files that the settings name, and that are no profiles.
local function add_named(files, settings)
  files:add(settings.external_symbol_table)
  files:add(settings.file_ordering)
  add_all(files, settings.profiles_from)
  add_all(files, (require "gprof.cli.sum.name_list".archives(settings.profiles_from)))
  for _, report in ipairs(settings.reports) do
    if require "gprof.reports".is_path(report.name) then files:add(report.name) end
  end
end

-- Adds the old profiles and the old program.
local function add_compared(files, old)
  if not old[1] then return end
  for _, name in ipairs(require "gprof.cli.compare_args".names(old)) do
    add_profile(files, name)
  end
end

-- Refuses output that has the name of a listing, which may replace it.
local function check_listing(settings, path)
  if not (settings.separate_files and path and path:find "%-ann$") then return end
  if file_set.place(path) == file_set.place(path:match "[^/]*$") then
    raise("%s: -y (--separate-files) may write a listing to this file", path)
  end
end

-- Whether a path leads to a device, to which several outputs can go.
local function is_device(path)
  return path:find "^/dev/" and not path:find "^/dev/shm/"
end

-- Refuses exports that would replace one of the files, and two outputs to the same file.
local function check_exports(settings, files, sums)
  local written = {}
  for _, sum in ipairs(sums) do written[file_set.place(sum)] = true end
  for _, export in ipairs(settings.exports) do
    local path = export.path
    check_listing(settings, path)
    if path and files:contains(path) then
      raise("%s: the export would overwrite an input file", path)
    elseif path and not is_device(path) then
      local place = file_set.place(path)
      if written[place] then raise("%s: is requested for two outputs", path) end
      written[place] = true
    end
  end
end

-- Refuses a sum of a Lua program's profiles that would replace another file, such as the
-- program: a profile does not tell the paths of all its files.
local function check_script_sum(sum)
  local head = sum and profile_files.head(sum)
  if head and not profile_files.is_head(head:sub(1, 8)) then
    raise("%s: is not a profile, so it is not replaced", sum)
  end
end

--- Refuses output (the sum, exports) that would replace a file that was read, and two
-- outputs to the same file.
-- @tparam table settings with open libraries
-- @tparam image image
-- @tparam data data
-- @tparam string|nil sum the path of the sum, if one is written
-- @raise a table with the field `message`
function overwrite.check(settings, image, data, sum)
  local files = file_set.new()
  local sums = sum and profile_files.sum_paths(sum) or {}
  -- a profile of a Lua program stands for it, and is one of the parts
  if core.script_list(image) then
    check_script_sum(sum)
  else
    files:add(image.path)
  end
  check_sums(files, sums, "the program")
  add_debug_files(files, image)
  check_sums(files, sums, "the program's debugging file")
  add_named(files, settings)
  add_compared(files, settings.compare)
  check_sums(files, sums, "an input file")
  check_listing(settings, sum)
  if not settings.exports[1] then return end
  add_data(files, data)
  if settings.update_baseline then  -- reads each run again
    check_sums(files, sums, "a run of the baseline")
  end
  add_libraries(files, settings.with)
  check_exports(settings, files, sums)
end

-- Returns the source files of all functions, except files that cannot be found.
local function source_files(profile, directories)
  local files, seen = file_set.new(), {}
  for _, name in profile:functions("address", "id", "file") do
    if name and not seen[name] then
      seen[name] = true
      files:add((require "gprof.library.files.source_text".find(name, directories)))
    end
  end
  return files
end

--- Refuses exports that would replace the program's source. The source files are located
-- only if an export would replace an existing file.
-- @tparam table settings
-- @tparam profile profile
-- @raise a table with the field `message`
function overwrite.check_source(settings, profile)
  local files
  for _, export in ipairs(settings.exports) do
    if export.path and core.file_status(export.path) == "file" then
      files = files or source_files(profile, settings.directory_path)
      if files:contains(export.path) then
        raise("%s: the export would overwrite a source file of the program",
          export.path)
      end
    end
  end
end

return overwrite
