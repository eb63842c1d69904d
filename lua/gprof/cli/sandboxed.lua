--- Reports in the sandbox: from the settings of a command line to what may be read there,
-- and written.
--
-- What the parent does is what takes no look at an image or a profile: it finds out which
-- files are meant, and puts those in place that come out.
--
-- @internal gprof.cli.sandboxed
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.defaults"
local output = require "gprof.output"
local reporting = require "gprof.cli.run"
local raise <const> = require "gprof.library.failure".raise
local sandbox = require "gprof.sandbox"

-- Debugging information may be in a file of its own. What the image calls that is not
-- known here: so it is any in a directory whose name ends as such names do. Whoever made
-- the directory may have put links there, which are not for what is elsewhere.
local function add_debugging(paths, directory)
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
  if beside then add_debugging(paths, beside == "/" and beside or beside .. "/") end
  if real then add_debugging(paths, real:match "^.*/") end
end

-- Where users have debugging files.
local function add_debug_directories(paths, settings)
  local directories = settings.debug_dir or {}
  table.move(directories, 1, #directories, #paths + 1, paths)
end

-- Profiles that lists name are only known when these are read. Directories are read
-- inside.
local function add_profiles(paths, settings)
  if settings.profiles_from[1] then
    settings.profiles = require "gprof.cli.profiles".find(settings)
  end
  local named = settings.profiles or { table.unpack(settings.operands, 2) }
  table.move(named, 1, #named, #paths + 1, paths)
  table.move(settings.operands, 2, #settings.operands, #paths + 1, paths)
  paths[#paths + 1] = defaults.profile_path(settings)
end

-- What a comparison is with.
local function add_old(paths, settings)
  if not settings.compare[1] then return end
  for _, name in ipairs(require "gprof.cli.compare_args".names(settings.compare)) do
    add_image(paths, name)
  end
end

-- What is shown beside the program.
local function add_libraries(paths, settings)
  for _, word in ipairs(settings.with or {}) do
    local image, profile = require "gprof.cli.libraries".paths(word)
    add_image(paths, image)
    paths[#paths + 1] = profile
  end
end

-- Whether there will be a page, which has source in it.
local function makes_page(settings)
  for _, export in ipairs(settings.exports) do
    if export.kind == "html" then return true end
  end
  return false
end

-- Source is read where it is looked for; reports that somebody wrote may do so, too, and
-- may have modules and other files beside them.
local function add_directories(paths, settings)
  local directories = settings.directory_path or {}
  table.move(directories, 1, #directories, #paths + 1, paths)
  if settings.styles.annotation or settings.reports[1] or makes_page(settings) then
    paths[#paths + 1] = "."
  end
  for _, report in ipairs(settings.reports) do paths[#paths + 1] = report:match "^.*/" end
end

local function readable(settings, image)
  local paths = {}
  add_image(paths, image)
  add_debug_directories(paths, settings)
  add_profiles(paths, settings)
  add_old(paths, settings)
  add_libraries(paths, settings)
  paths[#paths + 1] = settings.external_symbol_table
  paths[#paths + 1] = settings.file_ordering
  add_directories(paths, settings)
  return paths
end

-- How a file is written if the options ask for one of that name.
local function asked_for(settings)
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

-- Inside nothing is a terminal, nor does anybody help.
local function settle(settings)
  for _, export in ipairs(settings.exports) do
    if export.kind == "svg" then
      raise "option --sandbox runs no other program: draw what --export=dot makes"
    end
  end
  settings.jobs = 1
end

-- What the work returns passes as one text: how many profiles were left out, whether
-- --verify finds a difference, and lines.
local function work(settings)
  return function(stream)
    local bad, slower, differs = reporting(settings, stream)
    return table.concat({ bad, tostring(differs), table.unpack(slower) }, "\0")
  end
end

-- Whoever has taken the process over may have it return anything.
local function taken_apart(outcome)
  local parts = {}
  for part in (tostring(outcome) .. "\0"):gmatch "(%Z*)%z" do parts[#parts + 1] = part end
  return math.tointeger(tonumber(parts[1])) or 0, { table.unpack(parts, 3) },
    parts[2] == "true"
end

--- Does what the settings ask for, as `gprof.cli.run` does, in the sandbox.
-- @tparam table settings as `command_line.read` returns them
-- @tparam stream write
-- @treturn integer how many of the profiles were left out
-- @treturn {string,...} what is to be told of what got slower
-- @treturn boolean whether --verify finds that image, profile and source differ
-- @raise a table with the field `message`
return function(settings, write)
  local image = defaults.image_path(settings)
  settle(settings)
  local outcome = sandbox.run(work(settings), {
    about = image, read = readable(settings, image), writes = asked_for(settings),
    memory = settings.sandbox_memory, time = settings.sandbox_time, write = write,
  })
  return taken_apart(outcome)
end
