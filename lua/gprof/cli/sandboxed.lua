--- Does what the settings request, but in a sandboxed child process. Determines which
-- files the child may read and write.
--
-- The parent never parses an image or a profile. It only collects the names of files, and
-- writes the files that the child produced.
--
-- @internal gprof.cli.sandboxed
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local output = require "gprof.output"
local profile_files = require "gprof.library.files.profile_files"
local raise <const> = require "gprof.library.failure".raise
local run = require "gprof.cli.run"
local sandbox = require "gprof.sandbox"
local terminal = require "gprof.format.terminal"

local function add_all(paths, more)
  table.move(more or {}, 1, #(more or {}), #paths + 1, paths)
end

-- Adds separate debugging files. The name recorded in the image is unknown here, so all
-- files NAME.debug in the directory, and its subdirectory .debug, are added. Symbolic
-- links are not added: an untrusted directory must not give access to files outside.
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
  local directory = core.real_path(image:match "^.*/" or ".")
  local real = core.real_path(image)
  paths[#paths + 1] = image
  if directory then
    add_debug_files(paths, directory == "/" and directory or directory .. "/")
  end
  if real then add_debug_files(paths, real:match "^.*/") end
end

-- Reads lists of profiles. Directories and archives are read in the sandbox.
local function add_profiles(paths, settings)
  local name_list = require "gprof.cli.sum.name_list"
  local archives, lists = name_list.archives(settings.profiles_from)
  if archives[1] and lists > 0 then
    raise "option --sandbox: --profiles-from takes lists or archives, not both"
  end
  add_all(paths, archives)
  if lists > 0 then
    settings.profiles = require "gprof.cli.sum.profile_list".find(settings)
  end
  add_all(paths, settings.profiles)
  add_all(paths, { table.unpack(settings.operands, 2) })
  if settings.sum_target then paths[#paths + 1] = settings.sum_target.path end
  paths[#paths + 1] = defaults.profile_path(settings)
end

-- Adds the context profiles and, if they are used, the spreads beside profiles.
local function add_companions(paths, settings)
  for i = 1, #paths do
    local path = paths[i]
    paths[#paths + 1] = profile_files.context_path(path)
    if settings.spread then add_all(paths, profile_files.spread_paths(path)) end
  end
end

local function add_compared(paths, settings)
  if not settings.compare[1] then return end
  for _, name in ipairs(require "gprof.cli.compare_args".names(settings.compare)) do
    add_image(paths, name)
    paths[#paths + 1] = profile_files.context_path(name)
  end
end

local function add_libraries(paths, settings)
  for _, word in ipairs(settings.with or {}) do
    local image, profile = require "gprof.cli.libraries".paths(word)
    add_image(paths, image)
    paths[#paths + 1] = profile
  end
end

-- Whether an HTML page is made, which shows source text.
local function makes_page(settings)
  for _, export in ipairs(settings.exports) do
    if export.kind == "html" then return true end
  end
  return false
end

-- Adds the directories of source files. Custom reports may also read source, and files in
-- their own directories.
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
  local profiles = {}
  add_profiles(profiles, settings)
  add_companions(profiles, settings)
  add_all(paths, profiles)
  -- Recorded libraries are read from the system's directories. A profile that names other
  -- files must not make them readable.
  if not settings.no_libraries and profile_files.have_contexts(profiles) then
    add_all(paths, { "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib" })
  end
  add_compared(paths, settings)
  add_libraries(paths, settings)
  paths[#paths + 1] = settings.external_symbol_table
  paths[#paths + 1] = settings.file_ordering
  add_directories(paths, settings)
  return paths
end

-- Returns a function that decides how to write a file. It takes the file's name, and
-- returns a function of (path, fill); or nil, if the options do not request such a file.
local function requested(settings)
  local exported, target = {}, settings.sum_target
  for _, export in ipairs(settings.exports) do
    if export.path then exported[export.path] = true end
  end
  local companion, spread  -- the files beside the sum are complete before it
  return function(name)
    if target and name == target.companion then
      return function(path, fill)
        companion = output.unfinished_contexts(path)
        output.fill(companion, fill)
      end
    elseif target and name == target.spread then
      return function(path, fill)
        spread = output.unfinished_spread(path)
        output.fill(spread, fill)
      end
    elseif target and name == target.path then
      return function(path, fill)
        local file = output.unfinished(path, fill, target.kind, target.is_first)
        output.finish_sum(target, file, companion, spread)
      end
    elseif exported[name] then
      return function(path, fill) output.new_file(path, fill, "confined") end
    elseif settings.separate_files and name:find "^[^/%z]+%-ann$" then
      return output.new_file_here
    end
  end
end

-- Sets --jobs to 1, and refuses exports that run a program: the child cannot start
-- processes.
local function use_one_process(settings)
  for _, export in ipairs(settings.exports) do
    if export.kind == "svg" then
      raise "option --sandbox cannot run Graphviz for --export=svg: use --export=dot"
    end
  end
  settings.jobs = 1
end

-- Unpacks the results of a run. The string is untrusted: an attacker may have taken over
-- the child.
local function unpack_results(text)
  local function number(digits) return math.tointeger(tonumber(digits)) or 0 end
  local skipped, regressions, differs = tostring(text):match "^(%d+) (%d+) (%l+)$"
  return number(skipped), number(regressions), differs == "true"
end

--- Reads, checks and prints what the settings request, like `gprof.cli.run`, in the
-- sandbox.
-- @tparam table settings from `command_line.read`
-- @tparam stream write
-- @treturn integer the number of bad profiles, which were skipped
-- @treturn integer the number of regressions; the lines about them are already printed,
--   because a result of the sandbox has a limited size
-- @treturn boolean whether --verify finds that image, profile and source do not match
-- @raise a table with the field `message`
return function(settings, write)
  local image = defaults.image_path(settings)
  local _ <close> = require "gprof.cli.sum.sum_target".open(settings)
  use_one_process(settings)
  -- Runs in the child. Packs into a string: the number of bad profiles, the number of
  -- regressions, and whether --verify finds a mismatch.
  local function packed_run(stream)
    local skipped, regressions, differs = run(settings, stream)
    for _, line in ipairs(regressions) do terminal.tell("gprof.lua: " .. line) end
    return ("%d %d %s"):format(skipped, #regressions, differs == true)
  end
  return unpack_results(sandbox.run(packed_run, {
    about = image, read = readable(settings, image), writes = requested(settings),
    memory = settings.sandbox_memory, time = settings.sandbox_time, write = write,
  }))
end
