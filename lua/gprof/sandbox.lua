--- Reads untrusted files in a process that can do nothing but read.
--
--     local sandbox = require "gprof.sandbox"
--     local count = sandbox.run(function()
--       local image = assert(gprof.image("a.out"))
--       local data = assert(gprof.data(image, "gmon.out"))
--       return data.arc_records
--     end, { read = { "a.out", "gmon.out" } })
--
-- The child process has no network, starts no programs, sends no signals, opens no files
-- for writing, and reads only the files it is given, and libraries. Its standard output
-- and standard error go to unnamed temporary files, which are copied to ours at the end.
-- If it crashes or exceeds a limit, there is only an error message. What C libraries such
-- as libbfd write to standard error is dropped.
--
-- The sandbox requires Linux 5.13 or later, with seccomp and Landlock, on x86-64 or
-- aarch64. If anything is missing, the work is not started.
--
-- @module gprof.sandbox
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local output = require "gprof.output"
local failure = require "gprof.library.failure"
local home = require "gprof.library.home"
local spool_archive = require "gprof.library.files.spool_archive"
local terminal = require "gprof.format.terminal"
local wording = require "gprof.format.wording"

local sandbox = {}

local MEGABYTE <const> = 1048576

-- Default limits: megabytes of memory, seconds of CPU time. The first one also limits the
-- size of each stream and file that comes out of the sandbox. For example, an image of
-- 100 MB takes 400 MB and 3 seconds, or 90 seconds with all reports and exports.
sandbox.memory, sandbox.time = 2048, 300

-- Bytes of a result, and of an outcome: a result or a message after a keyword.
local MAX_RESULT <const>, MAX_OUTCOME <const> = 32000, 32768

local raise <const>, need <const> = failure.raise, failure.need

-- Permissions ---------------------------------------------------------------------------

local libraries <const> = { "/usr", "/lib", "/lib64", "/etc/ld.so.cache" }

-- Adds the directories of Lua modules, some of which are loaded on demand. Relative ones
-- are left out: they may hold anything.
local function add_module_directories(paths)
  table.move({ home.directories() }, 1, 2, #paths + 1, paths)
  for template in (package.path .. ";" .. package.cpath):gmatch "[^;]+" do
    local directory = template:match "^/[^?]*/"
    if directory and directory ~= "/" then paths[#paths + 1] = directory end
  end
end

-- Returns the descriptors that paths such as /dev/fd/63 refer to, mostly pipes. They stay
-- open. Also returns whether standard input is one of them.
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

-- Child process -------------------------------------------------------------------------

-- Returns how the work ended: a keyword, and the result or error message as text.
-- Messages may be cut, results must not be.
local function outcome_of(done, result)
  if not done and type(result) == "table" then
    return result.quiet and "quiet" or "error", tostring(result.message)
  elseif not done then
    return "fault", tostring(result)
  end
  local text = tostring(result)
  if #text > MAX_RESULT then
    local problem = "the sandboxed work returned %d bytes: %d are possible"
    return "error", problem:format(#text, MAX_RESULT)
  end
  return math.type(result) or type(result), text
end

-- Makes this process write its new files to an archive.
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
  local function add_profile(path, write)
    local result, message
    spool_archive.add(archive, path, function(file)
      result, message = write(file)
      local name = path == "-" and "standard output" or path:gsub("%%", "%%%%")
      need(result, message and message:gsub("^open file", name))
    end)
    return result
  end
  function output.new_profile(target, data, format, lines, contexts, spread)
    local id = contexts and target.companion and
      add_profile(target.companion, function(file) return contexts:write(file) end) or nil
    local spread_id = spread and
      add_profile(target.spread, function(file) return spread:write(file) end) or nil
    add_profile(target.path, function(file)
      return data:write(file, format, lines, id, spread_id)
    end)
  end
end

local function confine(run)
  local keep, input = descriptors(run.options)
  table.move({ run.outcome_writer, run.files, run.errors }, 1, 3, #keep + 1, keep)
  local memory = (run.options.memory or sandbox.memory) * MEGABYTE
  local paths, read = { table.unpack(libraries) }, run.options.read or {}
  add_module_directories(paths)
  table.move(read, 1, #read, #paths + 1, paths)
  local done, problem = run.confinement.confine {
    read = paths, keep = keep, input = input, noise = run.noise,
    memory = memory, file = memory, seconds = run.options.time or sandbox.time,
  }
  if not done then raise("cannot create the sandbox: %s", problem) end
  run.errors:setvbuf "no"
  io.stderr = run.errors  -- luacheck: globals io.stderr
end

-- Does the work in the child process, sends the outcome to the parent, and exits.
local function run_child(run, work)
  local function leave(...)
    run.outcome_writer:write(("%s %s"):format(...):sub(1, MAX_OUTCOME))
    run.confinement.leave()
  end
  function os.exit(code)  -- luacheck: globals os.exit
    leave("exit", code == nil and 0 or code == true and 0 or code or 1)
  end
  leave(outcome_of(pcall(function()
    confine(run)
    if run.options.writes then divert_output(run.files) end
    local stream, finish = output.into(io.stdout, nil, "temporary file")
    local result = work(stream)
    finish()
    return result
  end)))
end

-- Parent process ------------------------------------------------------------------------

local function fail_for_memory(run)
  raise("%s: needs more than %d MB of memory", run.about,
    run.options.memory or sandbox.memory)
end

-- Reports the end of a process that sent no outcome. Some libraries exit when they run
-- out of memory.
local function fail_for_exit(run, how, code)
  local signals = run.confinement
  if how == "signal" and code == signals.OUT_OF_TIME then
    local time = run.options.time or sandbox.time
    raise("%s: took more than %s of CPU time", run.about,
      wording.plural(time, "second"))
  elseif how == "signal" and code == signals.OUT_OF_ROOM then
    raise("%s: wrote more than %d MB", run.about, run.options.memory or sandbox.memory)
  elseif how == "signal" then
    local name = signals.describe(code)
    raise("%s: the sandboxed process crashed (%s)", run.about,
      name:sub(1, 1):lower() .. name:sub(2))
  end
  run.noise:seek("set", 0)
  local noise = run.noise:read(MAX_OUTCOME) or ""
  if noise:find "out of memory" then fail_for_memory(run) end
  raise("%s: the sandboxed process exited early (status %d)", run.about, code)
end

-- Copies the child's messages to our standard error, writes its files, and copies its
-- report to our output. If a file cannot be written, the report is not copied.
local function copy_output(run)
  run.errors:seek("set", 0)
  local write_error = terminal.error_writer()
  spool_archive.copy(run.errors, write_error)
  write_error()
  if run.options.writes then spool_archive.extract(run.files, run.options.writes) end
  run.output:seek("set", 0)
  local write, finish = run.options.write, nil
  if not write then
    write, finish = output.into(io.stdout, function() return false end)  -- no colours
  end
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

local function is_about_memory(text)
  for _, pattern in ipairs(memory_is_out) do
    if text:find(pattern) then return true end
  end
  return false
end

-- Reads the outcome before waiting for the process. The outcome may be larger than the
-- pipe's buffer; then the child cannot end before we read it.
local function run_parent(run, process)
  run.outcome_writer:close()
  local kind, text = (run.outcome_reader:read(MAX_OUTCOME) or ""):match "^(%l+) (.*)$"
  run.outcome_reader:close()
  local how, code = process:wait()
  local failed = kind == "error" or kind == "quiet"
  if code ~= 0 or not (failed or results[kind]) then fail_for_exit(run, how, code) end
  if (failed or kind == "fault") and is_about_memory(text) then fail_for_memory(run) end
  copy_output(run)
  if not failed then return results[kind](text) end
  -- control characters are replaced: the child cannot be trusted to send one line
  error({ message = text:gsub("%c", "?"), quiet = kind == "quiet" }, 0)
end

--- Runs a function in the sandbox. The function sees a copy of this process's memory, but
-- not its open files. Only its result and its output come back.
-- @tparam function work called with a stream to standard output
-- @tparam[opt] table options
--
--   - `read`: array of paths that the work may read; a directory includes everything
--     below it. "-" is standard input, which is otherwise empty
--   - `about`: the subject of error messages (default: the first of `read`)
--   - `memory`: limit in megabytes, 1,048,576 bytes each (default: 2048)
--   - `time`: limit in seconds of CPU time (default: 300)
--   - `write`: the stream that receives its standard output
--   - `writes`: a function that takes the path of a file that the work writes. It returns
--     the function to write it with, `new_file` or `new_file_here` of `gprof.output`, or
--     nil if the path is not allowed. Files are written by this process once the work
--     is done
--
-- @return what the work returns: nil, a boolean, a number, or a string of at most 32,000
--   bytes
-- @raise a table with the field `message`: what the work raised, or why the process
--   ended; a string if the work raised any other value
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
  run.outcome_reader, run.outcome_writer = need(core.pipe())
  local process <close>, message = core.fork(run.output)
  if process == false then run_child(run, work) end
  need(process, message)
  return run_parent(run, process)
end

return sandbox
