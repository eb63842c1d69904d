--- Work on files that nobody vouches for, in a process that can do nothing but read.
--
--     local sandbox = require "gprof.sandbox"
--     local count = sandbox.run(function()
--       local image = assert(gprof.image("a.out"))
--       local data = assert(gprof.data(image, "gmon.out"))
--       return data.arc_records
--     end, { read = { "a.out", "gmon.out" } })
--
-- What the work says on standard output and standard error goes into files without a
-- name, and is handed on when the work has come to its end: after a crash, or beyond a
-- limit, there is nothing of it but one message. What libraries in C, such as libbfd, say
-- on standard error is dropped. The process has no network, starts no
-- program, sends no signal, opens no file for writing, and reads none but those it is
-- given, and libraries. It takes Linux with seccomp and Landlock (5.13 or later) on
-- x86-64 or aarch64; where anything of that is missing nothing is done at all.
--
-- @module gprof.sandbox
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"
local output = require "gprof.output"
local failure = require "gprof.library.failure"
local spool_archive = require "gprof.library.spool_archive"

local sandbox = {}

local MEGABYTE <const> = 1048576

-- Limits that stand where none are set: megabytes of memory, seconds of CPU time.
-- The first is also the most that each stream or file may hold that comes out of there.
-- An image of 100 MB takes 400 MB and 3 seconds, or 90 with all that can be asked for.
sandbox.memory, sandbox.time = 2048, 300

local MOST_TOLD <const> = 32768  -- bytes of a message or a result

local raise <const>, need <const> = failure.raise, failure.need

-- What may be read ----------------------------------------------------------------------

local libraries <const> = { "/usr", "/lib", "/lib64", "/etc/ld.so.cache" }

-- Where modules of Lua are: some are loaded only when they are needed. Not the working
-- directory, which "./?.lua" would bring along.
local function add_module_directories(paths)
  for template in (package.path .. ";" .. package.cpath):gmatch "[^;]+" do
    local directory = template:match "^[^?]*/"
    if directory and directory ~= "./" and directory ~= "/" then
      paths[#paths + 1] = directory
    end
  end
end

local function readable(options)
  local paths = { table.unpack(libraries) }
  add_module_directories(paths)
  return table.move(options.read or {}, 1, #(options.read or {}), #paths + 1, paths)
end

-- Descriptors that paths name, which stay open: that of /dev/fd/63 is a pipe, mostly.
-- Tells, too, whether one of them is standard input.
local function descriptors(options)
  local found, input = {}, false
  for _, path in ipairs(options.read or {}) do
    local number = path:match "^/dev/fd/(%d+)$" or path:match "^/proc/self/fd/(%d+)$" or
      (path == "-" or path == "/dev/stdin") and "0"
    local descriptor = number and math.tointeger(tonumber(number))
    if descriptor and descriptor > 2 then found[#found + 1] = descriptor end
    input = input or descriptor == 0
  end
  return found, input
end

-- In the process ------------------------------------------------------------------------

-- How the work ended, as a word and a text.
local function note_of(done, result)
  if not done and type(result) == "table" then
    return result.quiet and "quiet" or "error", tostring(result.message)
  elseif not done then
    return result == "not enough memory" and "error" or "fault", tostring(result)
  end
  return math.type(result) or type(result), tostring(result)
end

-- Has the new files of this process go into an archive.
local function divert_output(archive)
  archive:setvbuf "no"  -- profiles bypass the buffer
  local function add_text(path, fill)
    spool_archive.add(archive, path, function(file)
      local stream, finish = output.into(file, nil, "temporary file")
      fill(stream)
      finish()
    end)
  end
  output.new_file, output.new_file_here = add_text, add_text
  function output.new_profile(path, data, format)
    spool_archive.add(archive, path, function(file)
      local done, message = data:write(file, format)
      local name = path == "-" and "standard output" or path:gsub("%%", "%%%%")
      need(done, message and message:gsub("^open file", name))
    end)
  end
end

local function confine(run)
  local keep, input = descriptors(run.options)
  table.move({ run.told, run.files, run.errors }, 1, 3, #keep + 1, keep)
  local memory = (run.options.memory or sandbox.memory) * MEGABYTE
  local done, problem = run.confinement.confine {
    read = readable(run.options), keep = keep, input = input, noise = run.noise,
    memory = memory, file = memory, seconds = run.options.time or sandbox.time,
  }
  if not done then raise("no sandbox can be made: %s", problem) end
  run.errors:setvbuf "no"
  io.stderr = run.errors  -- luacheck: globals io.stderr
end

-- Does the work, tells how that ended, and ends the process.
local function inside(run, work)
  local function leave(...)
    run.told:write(("%s %s"):format(...):sub(1, MOST_TOLD))
    run.confinement.leave()
  end
  function os.exit(code)  -- luacheck: globals os.exit
    leave("exit", code == nil and 0 or code == true and 0 or code or 1)
  end
  leave(note_of(pcall(function()
    confine(run)
    if run.options.writes then divert_output(run.files) end
    local stream, finish = output.into(io.stdout, nil, "temporary file")
    local result = work(stream)
    finish()
    return result
  end)))
end

-- Outside -------------------------------------------------------------------------------

local function fail_for_memory(run)
  raise("%s: needs more than %d MB of memory", run.about,
    run.options.memory or sandbox.memory)
end

-- Says what ended a process that did not say so itself. Some libraries end it when they
-- get no memory.
local function fail_for_end(run, how, code)
  local signals = run.confinement
  if how == "signal" and code == signals.OUT_OF_TIME then
    local time = run.options.time or sandbox.time
    raise("%s: took more than %d second%s of CPU time", run.about, time,
      time == 1 and "" or "s")
  elseif how == "signal" and code == signals.OUT_OF_ROOM then
    raise("%s: wrote more than %d MB", run.about, run.options.memory or sandbox.memory)
  elseif how == "signal" then
    local name = signals.describe(code)
    raise("%s: reading it crashed (%s)", run.about, name:sub(1, 1):lower() .. name:sub(2))
  end
  run.noise:seek("set", 0)
  if (run.noise:read(MOST_TOLD) or ""):find "out of memory" then fail_for_memory(run) end
  raise("%s: reading it ended before it was done (status %d)", run.about, code)
end

local function without_colors()
  return false
end

-- What was said, and what was written. Files come first: where one cannot be written
-- there is no report either.
local function hand_on(run)
  run.errors:seek("set", 0)
  local tell = output.writer(io.stderr, without_colors)
  spool_archive.copy(run.errors, tell)
  tell()
  if run.options.writes then spool_archive.extract(run.files, run.options.writes) end
  run.output:seek("set", 0)
  local write, finish = run.options.write, nil
  if not write then write, finish = output.into(io.stdout, without_colors) end
  spool_archive.copy(run.output, write)
  if finish then finish() else write:flush() end
end

local results <const> = {
  integer = function(text) return math.tointeger(tonumber(text)) end,
  float = tonumber,
  string = function(text) return text end,
  boolean = function(text) return text == "true" end,
  ["nil"] = function() return nil end,
  exit = function(text) os.exit(math.tointeger(tonumber(text)) or 1) end,
  fault = function(text) error(text:gsub("[^%C\n\t]", "?"), 0) end,
}

local memory_is_out <const> = {
  "not enough memory$", "[Mm]emory exhausted", "Cannot allocate memory$",
}

-- Messages are lines, whoever made them. A fault of ours has several.
local function fail_with(run, what, text)
  for _, pattern in ipairs(memory_is_out) do
    if text:find(pattern) then fail_for_memory(run) end
  end
  error({ message = text:gsub("%c", "?"), quiet = what == "quiet" }, 0)
end

-- The note is read first: a pipe may hold less than one, and who writes more than that
-- shall not wait.
local function outside(run, process)
  run.told:close()
  local what, text = (run.note:read(MOST_TOLD) or ""):match "^(%l+) (.*)$"
  run.note:close()
  local how, code = process:wait()
  local failed = what == "error" or what == "quiet"
  if code ~= 0 or not (failed or results[what]) then fail_for_end(run, how, code) end
  hand_on(run)
  if failed then fail_with(run, what, text) end
  return results[what](text)
end

--- Runs a function in the sandbox. It sees all that this process has in memory, but not
-- what it has open, and changes nothing of it: all that comes back is what it returns and
-- what it writes.
-- @tparam function work is called with a stream to standard output
-- @tparam[opt] table options
--
--   - `read`: an array of paths; these files, and those in these directories and below,
--     may be read. "-" is standard input, which is empty otherwise
--   - `about`: what messages say that the work is on (the first of `read`)
--   - `memory`: how many megabytes it may take, 1,048,576 bytes each (2048)
--   - `time`: how many seconds of CPU time (300)
--   - `write`: the stream that its standard output is handed on to
--   - `writes`: a function that tells of a path which function writes that file,
--     `new_file` or `new_file_here` of `gprof.output`, or nothing if the work may not;
--     the file is written here when the work has ended well
--
-- @return what the work returns: nil, a boolean, number or string of at most 32,000 bytes
-- @raise a table with the field `message`: what the work raised, or what ended it; a
--   string if the work raised something else
function sandbox.run(work, options)
  arguments.check(work, "function", 1, "run")
  arguments.check(options or {}, "table", 2, "run")
  local loaded, problem = require "gprof.library.native".load "gprof.confinement"
  if not loaded then raise("the %s", problem) end
  local run = { options = options or {}, confinement = loaded }
  run.about = run.options.about or (run.options.read or {})[1] or "the work"
  for _, name in ipairs { "output", "errors", "noise", "files" } do
    run[name] = need(core.spool())
  end
  run.note, run.told = need(core.pipe())
  local process <close>, message = core.fork(run.output)
  if process == false then inside(run, work) end
  need(process, message)
  return outside(run, process)
end

return sandbox
