--- Runs programs under the recorder.
--
--     local gprof = require "gprof"
--     local run = assert(gprof.record { "./program", "-v" })
--     print(run.status, run.profile)
--
-- @module gprof.record
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local native = require "gprof.library.native"
local open_image <const> = require "gprof.image".open
local context_files = require "gprof.library.files.context_files"
local program_files = require "gprof.library.files.program_files"
local recordable = require "gprof.library.files.recordable"
local record_lua <const> = require "gprof.record_lua"
local recorder_options = require "gprof.library.options.recorder_options"

-- The runtime of a sanitizer must be the first library: gcc's, and clang's.
local function first_library(image)
  for _, name in ipairs(image and core.needed_libraries(image) or {}) do
    if name:find "^lib%a+san%.so" or name:find "^libclang_rt%.%a+san[%w_-]*%.so" then
      return name .. ":"
    end
  end
  return ""
end

-- What the placeholders of the option `output` stand for, as Lua patterns.
local values <const> = { e = ".-", h = ".-", p = "%d+", r = "%d+", ["%"] = "%%" }

-- Returns the directory of profiles, which may be empty, and a Lua pattern for the rest
-- of their names. The recorder, like glibc, takes an empty GMON_OUT_PREFIX as unset.
local function names(output)
  local prefix = os.getenv "GMON_OUT_PREFIX"
  local name = output or prefix ~= "" and prefix or "gmon.out"
  local directory, base = name:match "^(.-)([^/]*)$"
  base = base:gsub("%W", "%%%0")
  if output then
    base = base:gsub("%%%%%%?(.)", values)
  end
  return directory, "^" .. base .. "%.?%d*%-?%d*%.ctx$"
end

-- Returns those of `found`, profiles by the time when they were begun, that a process
-- wrote, or a process that it has forked.
local function of_family(found, process)
  local family, kept = { [process] = true }, {}
  for _, written in ipairs(found) do
    local is_own = family[written.process] or family[written.parent]
    if is_own then family[written.process], kept[#kept + 1] = true, written end
  end
  return kept
end

-- Returns the profiles that have been written since a time, in nanoseconds since 1970: by
-- a process and those that it has forked or, if it `follows`, by all that it started.
local function profiles_since(time, process, options)
  local directory, rest = names(recorder_options.output(options))
  local found = {}
  for name in pairs(core.list_directory(directory ~= "" and directory or ".") or {}) do
    local path = directory .. name
    local origin = name:find(rest) and context_files.origin(path)
    if origin and origin.begin >= time then
      origin.profile = path:gsub("%.ctx$", "")
      found[#found + 1] = origin
    end
  end
  table.sort(found, function(a, b) return a.begin < b.begin end)
  if not options.follow then found = of_family(found, process) end
  table.sort(found, function(a, b)  -- the process's own come first
    if a.process == b.process then return a.begin < b.begin end
    if a.process == process or b.process == process then return a.process == process end
    return a.process < b.process
  end)
  return found
end

-- Returns the name of the program's first profile, if it is known before the program
-- starts, and whether the user has typed it; otherwise nil.
local function known_name(path, options)
  local output = recorder_options.output(options)
  if options.follow or not output and (os.getenv "GMON_OUT_PREFIX" or "") ~= "" then
    return nil
  end
  local program = (core.real_path(path) or path):match "[^/]*$"
  local pattern = recorder_options.expand(output or "gmon.out", program)
  if recorder_options.has_placeholder(pattern) then return nil end
  return recorder_options.name_of(pattern),
    output and not recorder_options.has_placeholder(output)
end

-- Checks, before a long run, that the profile will replace nothing else.
local function check_replaced(path, options)
  local name, is_typed = known_name(path, options)
  if not name then return true end
  if core.file_status(name) == "other" then
    return nil, name .. ": is neither a file nor a device: the profile cannot be " ..
      "written there"
  end
  local done, message = program_files.check_replaced(name, not is_typed)
  if not done then return nil, message end
  return program_files.check_replaced(name .. ".ctx", true)
end

-- Returns what is wrong with an option that only Lua programs have; nil if none is given.
local function lua_option(path, options)
  local name = options.count and "count" or options.with_c and "with_c"
  if not name or not core.file_status(path) then return nil end
  local option = "--" .. name:gsub("_", "-")
  local version = program_files.lua_version(path)
  if not version then
    return ("%s: is not a Lua program: %s is only for these"):format(path, option)
  end
  return ("%s: is a program for %s: %s is only for Lua 5.4; to run it with Lua 5.4, " ..
    "give its file a name that ends in .lua"):format(path, version, option)
end

local UNRECOGNIZED <const> = "; the name of a Lua program ends in .lua, or its first " ..
  "line begins with #! and names lua"

-- Returns why a program was not started: it may be a Lua program without these.
local function why_not_started(program, path, problem)
  local may_be_lua = problem == "Permission denied" and
    core.file_status(path) == "file" and loadfile(path, "t")
  return ("%s: %s%s"):format(program, problem, may_be_lua and UNRECOGNIZED or "")
end

--- Runs a program under the recorder, and waits until it ends. The program has the
-- standard streams, the process group and the environment of this process. Signals that
-- are sent to this process are passed on to the program.
-- @function gprof.record
-- @tparam {string,...} command the program, searched for in the directories of PATH
--   unless it contains a slash, and its arguments
-- @tparam[opt] table options
--
--   - `warn`: function called before the program starts if it will not be recorded, with
--     a message; or with a note and true
--   - `rate`: samples per second of processor time, from 0 (none) to 100,000; 1,000 by
--     default
--   - `memory`: limit on the memory for call paths in each process, in megabytes, from 1
--     to 1,048,576; 64 by default
--   - `output`: the name of `gmon.out`, with the placeholders of `--output`
--   - `dump_signal`: the name of a signal, such as "USR1", at which the running program
--     writes its profile
--   - `dump_file`: a file; when it is made or touched, the program writes its profile
--   - `wall`: whether to sample also threads that wait
--   - `no_paths`: whether to record samples without callers in programs without -pg
--   - `count`: what to count in a Lua program: see `gprof.recorder`. Lua programs take
--     only this option, `rate`, `memory`, `output` and `with_c`
--   - `with_c`: whether to record the C functions of a Lua program, too. Then it also
--     takes the option `wall`
--   - `anew`: whether a new profile then begins
--   - `follow`: whether to record the programs that the program starts, too
--
-- @treturn[1] table `status`, the exit status; or `signal`, the number of the signal that
--   ended the program; `image`, the program's path; and `profile`, the path of
--   `gmon.out`, if there is one in the current directory, or where `output` or
--   GMON_OUT_PREFIX says; `directory` names this place in messages; `samples`, whether
--   calls are not counted, since the program is not compiled with -pg;
--   `executes`, whether the program then executed another one in its place; `others`, the
--   share of the processor time that its children used, if they have no profiles.
--   With `follow`, or if the program or its forked children wrote others, `profiles`
--   lists all profiles, each with the fields `profile`, `image` and `process`; the
--   program's come first, in the order in which they were begun
-- @return[2] nil
-- @treturn[2] string why the program or the recorder cannot be started
return function(command, options)
  arguments.check(command, "table", 1, "record")
  for i = 1, math.max(#command, 1) do  -- `arg` has words before the first one, too
    arguments.check(command[i], "string", 1, "record")
  end
  options = arguments.options(options, 2, "record")
  recorder_options.check(options)
  local warn = options.warn
  local script = program_files.find_lua(command[1])
  if script then
    local version, is_recorded = program_files.lua_version(script)
    if options.warn and version and not is_recorded then
      options.warn(("%s: is a program for %s: it is run and recorded with Lua 5.4")
        :format(script, version))
    end
    return record_lua(script, command, options)
  end
  local library, path, done, message
  library, message = native.recorder()
  if not library then return nil, "the " .. message end
  path, message = program_files.find(command[1])
  if not path then return nil, message end
  message = lua_option(path, options)
  if message then return nil, message end
  done, message = program_files.check_directory((names(recorder_options.output(options))))
  if not done then return nil, message end
  local given = path
  path, command = program_files.interpreted(path, command)
  local image <close> = open_image(path)
  local found = recordable.check(path, image, library, path ~= given and given or nil)
  done, message = check_replaced(path, options)
  if not done and not found.problem then return nil, message end
  if warn and found.problem then warn(path .. ": " .. found.problem) end
  if warn and found.note then warn(found.note, true) end
  local started = core.time()
  local loaded = found.is_loaded and library or ""
  if loaded ~= "" then loaded = first_library(image) .. loaded end
  local ending, number, process, others = core.run_program(path, command,
    { recorder_options.preloading(loaded),
      recorder_options.setting(options, core.real_path ".",
        found.samples or options.follow) })
  if not ending then return nil, why_not_started(command[1], path, number) end
  local profiles = profiles_since(started, process, options)
  local full = core.real_path(path)
  local executes
  for _, written in ipairs(profiles) do  -- named as the caller did
    if written.image == full then written.image = path end
    if written.process == process and written.executes then executes = true end
  end
  local first = profiles[1]
  local own = first and (options.follow or first.process == process) and first or
    { image = path }
  local output = recorder_options.output(options)
  local directory = names(output)
  return { status = ending == "exit" and number or nil, image = own.image,
    directory = directory ~= "" and directory or "the current directory",
    signal = ending == "signal" and number or nil, profile = own.profile,
    device = not own.profile and output and core.file_status(output) == "device" and
      output or nil,
    samples = found.samples, executes = executes,
    others = #profiles < 2 and others > 0 and others or nil,
    profiles = (options.follow or profiles[own == first and 2 or 1]) and profiles or nil }
end
