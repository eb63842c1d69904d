--- Records Lua programs: calls, call paths and samples.
--
--     local recorder = require "gprof.recorder"
--     recorder.start()
--     work()
--     recorder.stop()
--     assert(recorder.write "work.prof")
--
-- `gprof.lua work.prof` then prints the reports. `gprof.lua --record script.lua` does all
-- of this.
--
-- The module loads neither the core nor libbfd into the program.
--
-- @module gprof.recorder
-- SPDX-License-Identifier: GPL-3.0-or-later

local home = package.loaded["gprof.library.home"] or
  dofile(debug.getinfo(1, "S").source:match "^@(.*/)" .. "library/home.lua")
local hooks, missing = require "gprof.library.native".load "gprof.hooks"
if not hooks then error(missing, 0) end
home.use_bytecode(hooks.open_bundle)
local escape = require "gprof.format.escape"
local module_names = require "gprof.library.module_names"
local own_calls = require "gprof.scripts.own_calls"
local script_names = require "gprof.scripts.script_names"
local script_profile = require "gprof.scripts.script_profile"
local standard = require "gprof.library.standard"

local recorder = {}

local DEFAULT_RATE <const> = 1000   -- samples per second
local MEMORY <const> = 64           -- megabytes
local PATH_SIZE <const> = 64        -- bytes for a call path, or a place of samples in it
local MOST_PATHS <const> = 0x7fffffff

-- The least and largest values of the options.
local LIMITS <const> = { rate = { 0, 100000 }, instructions = { 1, 0x7fffffff },
  memory = { 1, 1048576 } }

local session   -- what `prepare` returned; nil if nothing was recorded
local running   -- `session`, until recording stops; `is_paused`
local recorded  -- what was recorded last: see `recorder.stop`

-- The names of the options.
local OPTIONS <const> = { rate = true, instructions = true, memory = true, count = true,
  with_c = true }

-- Returns a copy of the options: the caller may change its table while they are in use.
-- Numbers such as 1e3 become integers.
local function copy(options)
  local copied = {}
  for name in pairs(OPTIONS) do
    local value = options[name]
    copied[name] = math.type(value) == "float" and math.tointeger(value) or value
  end
  return copied
end

-- Modules are loaded here: later, the program may have changed the search path.
local function prepare(options)
  local most = ((options.memory or MEMORY) << 20) // PATH_SIZE
  return { recording = hooks.new(math.min(most, MOST_PATHS)), options = options,
    host = module_names.host(), directory = hooks.directory() or false,
    mixed_profile = options.with_c and require "gprof.scripts.mixed_profile" }
end

-- Without counts, only these functions show which coroutine runs.
local resume <const>, wrap <const> = coroutine.resume, coroutine.wrap
local own_resume <const>, own_wrap <const>, own_wrapped <const> =
  hooks.coroutines(resume, wrap, coroutine.create)

local coroutine <const> = coroutine

-- Programs pass on what `debug.gethook` returns.
local debug <const> = debug
local sethook <const> = debug.sethook
local own_sethook <const> = hooks.sethook(sethook)

-- Leaves functions that the program has replaced.
local function replace(members, name, old, new)
  if members[name] == old then members[name] = new end
end

local function replace_functions(counts_none)
  replace(debug, "sethook", sethook, own_sethook)
  if not counts_none then return end
  replace(coroutine, "resume", resume, own_resume)
  replace(coroutine, "wrap", wrap, own_wrap)
end

local function restore_functions()
  replace(debug, "sethook", own_sethook, sethook)
  replace(coroutine, "resume", own_resume, resume)
  replace(coroutine, "wrap", own_wrap, wrap)
end

-- Returns a message if recording cannot start. After it has, calls are recorded: there
-- are none here. Frees the former recording, if given.
local function start(prepared, former)
  local options = prepared.options
  replace_functions(options.count == "none")
  local done, problem = hooks.start(prepared.recording, options.rate or DEFAULT_RATE,
    options.instructions or 0, options.count or "calls", options.with_c,
    prepared.is_program, former)
  if not done then
    restore_functions()
    return problem
  end
  prepared.is_paused = false
  session, running, recorded = prepared, prepared, nil
end

-- The values of the option `count`.
local COUNTS <const> = { lines = true, calls = true, none = true }

local function check_names(options)
  if type(options) ~= "table" then
    error("recorder.start: options: table expected, got " .. type(options), 3)
  end
  for name in pairs(options) do
    if not OPTIONS[name] then
      error(("recorder.start: no option '%s'"):format(tostring(name)), 3)
    end
  end
end

local function check_values(options)
  for name, limits in pairs(LIMITS) do
    local value, least, most = options[name], limits[1], limits[2]
    local is_valid = math.type(value) == "integer" and value >= least and value <= most
    if value ~= nil and not is_valid then
      error(("recorder.start: option '%s': an integer from %d to %d expected")
        :format(name, least, most), 3)
    end
  end
  if options.count ~= nil and not COUNTS[options.count] then
    error("recorder.start: option 'count': 'calls', 'lines' or 'none' expected", 3)
  end
  if options.with_c and options.count == "none" then
    error("recorder.start: option 'with_c': not with count = 'none'", 3)
  end
  for name in pairs(options.with_c and LIMITS or {}) do
    if options[name] then
      error(("recorder.start: option '%s': not with 'with_c'"):format(name), 3)
    end
  end
end

--- Starts to record the calls of this coroutine, and of all others: of older ones from
-- the next time that they are resumed; the functions that run in them then are on the
-- call paths, with 0 calls. The functions that call `recorder.start` are not; their own
-- time is shown as `<unknown code>`. With `count = "none"`, they are known, but of older
-- coroutines, only those that are resumed by `coroutine.resume` are recorded. Forgets
-- what was recorded before: write that first, or `recorder.resume`.
-- @tparam[opt] table options
--
--   - `rate`: samples per second of processor time, up to 100,000; 0 for none; 1,000 by
--     default
--   - `instructions`: take a sample whenever Lua has executed this many instructions.
--     Then the same program gives the same samples; a sample counts as one millisecond
--   - `memory`: limit on the memory for call paths, in megabytes; 64 by default. Then
--     further call paths are joined
--   - `count`: "calls", by default; "lines", to count also how often each line is
--     executed; or "none": then only samples are taken, with little overhead
--   - `with_c`: whether to record also the C functions that the C recorder records, and
--     to take samples in all code. libgprof-recorder.so must be loaded (LD_PRELOAD); its
--     options `rate` and `memory` apply in place of those above
-- @raise if the state is already being recorded, or has a hook (`debug.sethook`)
function recorder.start(options)
  if options ~= nil then check_names(options) end
  options = copy(options or {})
  check_values(options)
  if running and not running.is_paused then error("this thread is being recorded", 2) end
  local former = session and session.recording
  if running and running.is_paused then hooks.stop(running.recording, "go on") end
  local problem = start(prepare(options), former)
  if problem then error(problem, 2) end
end

--- Stops recording for a while: `recorder.resume` continues. Does nothing if recording is
-- paused or stopped. Costs little, unlike `recorder.stop`. With the option `with_c`, the
-- C recorder pauses, too, in all threads.
function recorder.pause()
  if not running or running.is_paused then return end
  hooks.stop(running.recording, "wait")
  restore_functions()
  running.is_paused = true
end

--- Continues what was paused or stopped: calls and samples are added to those recorded
-- before. The functions and zones of this coroutine that run then are on the call paths
-- of what follows; their calls are not counted again. Does nothing while recording.
-- @raise with the option `with_c` after `recorder.stop`; if nothing was recorded; or like
--   `recorder.start`
function recorder.resume()
  if running and not running.is_paused then return end
  if not session then error("recorder.resume: nothing was recorded", 2) end
  if session.options.with_c and not running then
    error("recorder.resume: with 'with_c', what was stopped cannot continue", 2)
  end
  local problem = start(session)
  if problem then error(problem, 2) end
end

-- Returns the function `recorder.zone`, which the hook does not show. It is stripped, so
-- that it has no lines. The variable keeps it on the stack: there is no tail call.
local function zone_function(open, close)
  return function(name, f, ...)
    open(name, f)
    local _ <close> = nil
    return close(f(...))
  end
end

--- Calls a function in a zone: a part of the program with a name, such as "parse" or
-- "request". Reports show `zone NAME` as a function that calls the function, one for each
-- source file. Zones may be in zones, and coroutines may yield in them. Works also if
-- nothing is recorded. Beyond 4,096 names in a source file, others are one: `zone (other
-- names)`.
-- @tparam string name
-- @tparam function f
-- @param ... arguments of `f`
-- @return its results
-- @function zone
recorder.zone = hooks.zone(load(string.dump(zone_function, true), "=zone", "b")(
  hooks.zone_open, hooks.zone_close))

--- Begins a zone in the calling function, which ends at `recorder.zone_end`, or with that
-- call, also by an error. What the function does meanwhile, and the calls that it makes,
-- belong to `zone NAME`: reports show it as a function, one for each source file. Zones
-- may be in zones; each coroutine has its own. Works also if nothing is recorded. A Lua
-- function cannot begin a zone for its caller; `local push = recorder.zone_begin` can.
-- @tparam string name
-- @function zone_begin
recorder.zone_begin = hooks.zone_begin

--- Ends the innermost zone that the calling function has begun.
-- @tparam[opt] string name checks that it is this one
-- @raise if it has begun none, or the zone has another name. While nothing is recorded,
--   only if fewer zones were begun than ended
-- @function zone_end
recorder.zone_end = hooks.zone_end

local SOURCE <const> = debug.getinfo(1, "S").source

-- Leaves out the lines of this file that were executed to start and stop.
local function forget_own_lines(functions)
  for _, f in ipairs(functions) do
    if f.source == SOURCE then f.executions = {} end
  end
end

-- Returns what was recorded.
local function result_of(stopped)
  local recording = stopped.recording
  local function name(f, text)
    if type(f) == "function" then hooks.name(recording, f, text) end
  end
  name(own_resume, "coroutine.resume")
  name(own_wrap, "coroutine.wrap")
  name(own_wrapped, "coroutine.wrap (resumed)")
  name(own_sethook, "debug.sethook")
  module_names.assign(name, function(f) return hooks.knows(recording, f) end,
    stopped.host)
  local result = hooks.result(recording)
  result.functions = hooks.functions(recording)
  script_names.assign(result.functions, hooks.source, hooks.crc32,
    stopped.is_program and result.began, stopped.directory ~= hooks.directory())
  forget_own_lines(result.functions)
  if not result.with_c then own_calls.hide(result) end
  result.options, result.mixed_profile = stopped.options, stopped.mixed_profile
  return result
end

--- Stops recording.
-- @treturn table|nil what was recorded; nil if nothing was. `ticks` is the number of
--   samples; with `with_c`, of those in the interpreter. `displaced`: the program set a
--   hook of its own, so the rest of it was not recorded; `removed`: it removed that of
--   the recorder, as Ctrl-C does; `interrupted`: it did so for a while, or had a hook in
--   a coroutine; `out_of_memory`: the rest was not recorded for this
--   reason
function recorder.stop()
  if not running then return recorded end
  hooks.stop(running.recording, running.is_program and "stop" or "go on")
  restore_functions()
  recorded, running = standard.call(result_of, running), nil
  return recorded
end

-- Returns the words of the command line, as far as the interpreter knows them.
local function command_line()
  local words, given = {}, rawget(_G, "arg")
  if type(given) ~= "table" then return "" end
  for i = 0, #given do words[#words + 1] = tostring(given[i]) .. "\0" end
  return table.concat(words)
end

local function bytes_of(result, options)
  if result.with_c then
    return result.mixed_profile.bytes(result, hooks.crc32)
  end
  return script_profile.bytes(result, { crc32 = hooks.crc32,
    rate = not options.instructions and options.rate or DEFAULT_RATE,
    command = command_line() })
end

-- Writes what was recorded. `is_default`: the user has not chosen the path.
local function write(path, is_default, result)
  if not result then return nil, "nothing was recorded" end
  local options = result.options
  if not result.functions[1] then
    local is_excluded = options.rate == 0 and not options.instructions
    local why = is_excluded and "rate 0 excludes them" or "the program was too short"
    return nil, options.count == "none" and "no samples were taken: " .. why or
      "no calls were recorded"
  end
  if result.with_c and not result.profile then
    return nil, "the C recorder gave no profile"
  end
  return hooks.save(path, bytes_of(result, options), is_default)
end

--- Writes what was recorded. A recording that still runs is stopped. The file replaces an
-- old one once it is complete, but only a profile or an empty file. The path may lead
-- through links, and to a device.
-- @tparam string path
-- @treturn[1] boolean true
-- @return[2] nil
-- @treturn[2] string what is wrong
function recorder.write(path)
  if type(path) ~= "string" then
    error("recorder.write: path: string expected, got " .. type(path), 2)
  end
  recorder.stop()
  return standard.call(write, path, false, recorded)
end

-- Writes what was recorded to a file, and prints a report of that. The file is temporary:
-- its name is not shown.
local function print_report(result, path, name, options, to)
  local written, message = write(path, false, result)
  if not written then error(message, 0) end
  local gprof = require "gprof"
  local image <close> = assert(require "gprof.library.files.script_images".open({ path },
    "Lua program"))
  require "gprof.library.options.image_options".set(image, {})
  local data <close> = assert(gprof.data(image, path))
  local single_object <const> =
    require "gprof.library.libraries.recorded".single_object
  local profile <close> =
    assert(gprof.profile(image, data, { libraries = not single_object[name] }))
  profile.data.files[1].path = "recording"
  -- called by pcall, it names no line of this file in messages about arguments
  local done, problem = pcall(profile.report, profile, name, options, to)
  if not done then error(problem, 0) end
end

local function report(result, name, options, to)
  local path = os.tmpname()
  local done, problem = pcall(print_report, result, path, name, options, to)
  os.remove(path)
  if not done then error(problem, 0) end
end

--- Prints a report of what was recorded. Recording continues afterwards. Loads the
-- library `gprof`.
-- @tparam[opt="flat"] string name as for `profile:report`
-- @tparam[opt] table options of the report; `{ brief = true }` by default
-- @tparam[optchain] function|file to takes the text; standard output by default
-- @raise if nothing was recorded, and what `profile:report` raises
function recorder.report(name, options, to)
  local is_running = running and not running.is_paused
  if is_running then recorder.pause() end
  local result = recorded or session and standard.call(result_of, session)
  local done, problem = pcall(standard.call, report, result, name or "flat",
    options or { brief = true }, to)
  if is_running then recorder.resume() end
  if done then return end
  local is_argument = type(problem) == "string" and problem:find "^bad argument"
  error(problem, is_argument and 2 or 0)
end

-- Returns the name that a pattern stands for.
local function name_of(pattern)
  return (pattern:gsub("%%(.)", { p = recorded.process, ["%"] = "%" }))
end

local function tell(message)
  io.stderr:write("gprof.lua: ", escape.line(message), "\n")
end

-- Writes the profile of the program, and says on standard error why that failed.
local function finish(pattern, is_default)
  if recorded and recorded.is_forked then return end
  local done, problem = write(recorded and name_of(pattern) or pattern, is_default,
    recorded)
  local told = recorded and (recorded.displaced and
    "the program set a hook (debug.sethook): the rest of it was not recorded" or
    recorded.removed and "the recorder's hook was removed (Ctrl-C, or debug.sethook): " ..
    "the rest was not recorded" or
    recorded.out_of_memory and "not enough memory: the rest of it was not recorded" or
    recorded.interrupted and "the program set a hook (debug.sethook) for a while, or " ..
    "in a coroutine: what ran with it was not recorded")
  if not done then tell(problem) end
  if told then tell(told) end
end

--- Records the program that the interpreter runs next, until it ends, and writes its
-- profile. `gprof.lua --record` calls this function. A child that the program forks
-- writes no profile. `require` no longer knows the modules of gprof: the program finds
-- its own.
-- @tparam string pattern path of the profile; `%p` stands for the process number, `%%`
--   for a percent sign
-- @tparam[opt] table options as for `recorder.start`
-- @tparam[optchain] boolean is_default the user has not chosen the path: it may be
--   neither a link nor a device
function recorder.record_program(pattern, options, is_default)
  local exit, pcall <const>, error <const> = os.exit, pcall, error
  local is_written = false
  local function write_once()
    if is_written then return end
    is_written = true
    recorder.stop()
    standard.call(finish, pattern, is_default)
  end
  os.exit = function(...) -- luacheck: globals os.exit
    write_once()
    local _, problem = pcall(exit, ...) -- returns only if an argument is wrong
    error((problem:gsub("'%?'", "'exit'")), 2)
  end
  local prepared = prepare(copy(options or {}))
  prepared.is_program = true
  home.leave()
  -- when the state is closed, this runs after the finalizers of the program's objects,
  -- and before that of the recording
  debug.getregistry()[recorder] = setmetatable({}, { __gc = function()
    local done, problem = pcall(write_once)  -- Lua says nothing about errors here
    if not done then standard.call(tell, problem) end
  end })
  hooks.at_signal(prepared.recording, write_once)
  local problem = start(prepared)
  if problem then tell(problem) end
end

hooks.loaded()
return recorder
