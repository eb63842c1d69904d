--- Runs settings in the sandbox: works out which files may be read and written there.
--
-- The parent never looks into an image or a profile. It only finds out which files are
-- named, and extracts those that come out.
--
-- @internal gprof.cli.sandboxed
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.defaults"
local output = require "gprof.output"
local raise <const> = require "gprof.library.failure".raise
local run = require "gprof.cli.run"
local sandbox = require "gprof.sandbox"

local function add_all(paths, more)
  table.move(more or {}, 1, #(more or {}), #paths + 1, paths)
end

-- Adds separate debugging files. The name that the image gives is unknown here, so any
-- file in the directory that is named like one is added; but no link, as whoever made the
-- directory must not open others.
local function add_debug_files(paths, directory)
  local function add(name)
    local path = directory .. name
    if core.real_path(path) == path then paths[#paths + 1] = path end
  end
  add ".debug"
  for name in pairs(core.list_directory(directory) or {}) do
    if name:find "%.debug$" then add(name) end
  end
end

local function add_image(paths, image)
  local beside = core.real_path(image:match "^.*/" or ".")
  local real = core.real_path(image)
  paths[#paths + 1] = image
  if beside then add_debug_files(paths, beside == "/" and beside or beside .. "/") end
  if real then add_debug_files(paths, real:match "^.*/") end
end

-- Lists of profiles are read here, directories inside.
local function add_profiles(paths, settings)
  if settings.profiles_from[1] then
    settings.profiles = require "gprof.cli.profiles".find(settings)
  end
  add_all(paths, settings.profiles)
  add_all(paths, { table.unpack(settings.operands, 2) })
  paths[#paths + 1] = defaults.profile_path(settings)
end

local function add_compared(paths, settings)
  if not settings.compare[1] then return end
  for _, name in ipairs(require "gprof.cli.compare_args".names(settings.compare)) do
    add_image(paths, name)
  end
end

local function add_libraries(paths, settings)
  for _, word in ipairs(settings.with or {}) do
    local image, profile = require "gprof.cli.libraries".paths(word)
    add_image(paths, image)
    paths[#paths + 1] = profile
  end
end

-- Whether there will be an HTML page, which shows source text.
local function makes_page(settings)
  for _, export in ipairs(settings.exports) do
    if export.kind == "html" then return true end
  end
  return false
end

-- Adds the directories of source files. Custom reports may read source, too, and files
-- beside them.
local function add_directories(paths, settings)
  add_all(paths, settings.directory_path)
  if settings.styles.annotation or settings.reports[1] or makes_page(settings) then
    paths[#paths + 1] = "."
  end
  for _, report in ipairs(settings.reports) do paths[#paths + 1] = report:match "^.*/" end
end

local function readable(settings, image)
  local paths = {}
  add_image(paths, image)
  add_all(paths, settings.debug_dir)
  add_profiles(paths, settings)
  add_compared(paths, settings)
  add_libraries(paths, settings)
  paths[#paths + 1] = settings.external_symbol_table
  paths[#paths + 1] = settings.file_ordering
  add_directories(paths, settings)
  return paths
end

-- The function that returns how a file is written, if the options request it.
local function requested(settings)
  local chosen = {}
  if settings.styles.sum then chosen[defaults.sum_path(settings)] = true end
  for _, export in ipairs(settings.exports) do
    if export.path then chosen[export.path] = true end
  end
  return function(name)
    if chosen[name] then
      return output.new_file
    elseif settings.separate_files and name:find "^[^/%z]+%-ann$" then
      return output.new_file_here
    end
  end
end

-- The child cannot spawn helpers.
local function use_one_process(settings)
  for _, export in ipairs(settings.exports) do
    if export.kind == "svg" then
      raise "option --sandbox runs no other program: draw what --export=dot makes"
    end
  end
  settings.jobs = 1
end

-- The results of a run pass as one text: the number of profiles left out, whether
-- --verify finds a difference, and the lines about what got slower.
local function packed_run(settings)
  return function(stream)
    local left_out, slower, differs = run(settings, stream)
    return table.concat({ left_out, tostring(differs), table.unpack(slower) }, "\0")
  end
end

-- Returns the results of a run. The text may be anything if the child was taken over.
local function unpack_results(text)
  local parts = {}
  for part in (tostring(text) .. "\0"):gmatch "(%Z*)%z" do parts[#parts + 1] = part end
  return math.tointeger(tonumber(parts[1])) or 0, { table.unpack(parts, 3) },
    parts[2] == "true"
end

--- Does what the settings request, as `gprof.cli.run` does, in the sandbox.
-- @tparam table settings as `command_line.read` returns them
-- @tparam stream write
-- @treturn integer the number of profiles that were left out
-- @treturn {string,...} lines about what got slower
-- @treturn boolean whether --verify finds that image, profile and source differ
-- @raise a table with the field `message`
return function(settings, write)
  local image = defaults.image_path(settings)
  use_one_process(settings)
  return unpack_results(sandbox.run(packed_run(settings), {
    about = image, read = readable(settings, image), writes = requested(settings),
    memory = settings.sandbox_memory, time = settings.sandbox_time, write = write,
  }))
end
