--- Measures commands with bench/measure.c: wall time, CPU time and peak memory.
--
--     local meter = meters.open("build/bench", { timeout = 120 })
--     local run = meter:run("gprof -b program gmon.out")
--     print(run.wall, run.cpu, run.mb, run.trouble)
--
-- The output of the commands is discarded.
--
-- @module bench.meter
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "bench.shell"

local quote = shell.quote

local here <const> = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"

-- The environment of all commands. MALLOC_PERTURB_, which tests may set, would slow them down.
local ENVIRONMENT <const> = "env -u MALLOC_PERTURB_ LC_ALL=C "

local SIGNALS <const> = { [4] = "SIGILL", [6] = "SIGABRT", [7] = "SIGBUS", [8] = "SIGFPE", [9] = "SIGKILL",
  [11] = "SIGSEGV" }

local meters, methods = {}, {}

--- Compiles bench/measure.c and returns a meter.
-- @tparam string scratch absolute path of a directory for temporary files; created if necessary
-- @tparam table options `timeout`: seconds after which a run is stopped
-- @treturn meter
function meters.open(scratch, options)
  local meter = setmetatable({ scratch = scratch, timeout = options.timeout }, { __index = methods })
  meter.program = scratch .. "/measure"
  shell.run("mkdir -p " .. quote(scratch .. "/together"))
  -- The declaration of wait4 needs _GNU_SOURCE.
  shell.run(("gcc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -o %s %s"):format(
    quote(meter.program), quote(here .. "measure.c")))
  return meter
end

--- Returns the shell command that measures a command.
local function measuring(meter, command, dir, errors)
  return ("cd %s && %s%s -t %d -e %s %s"):format(quote(dir or "."), ENVIRONMENT, quote(meter.program), meter.timeout,
    quote(errors), command)
end

--- Returns how a run failed, as text; nil if it succeeded.
local function trouble(run)
  if run.timeout then return ("> %d s"):format(run.timeout) end
  if run.signal then return "dies (" .. (SIGNALS[run.signal] or "signal " .. run.signal) .. ")" end
  if run.exit ~= 0 then return "fails (" .. run.exit .. ")" end
end

--- Returns a run, parsed from the line that bench/measure.c printed.
local function parse(line, errors)
  local run = {}
  for key, value in (line or ""):gmatch("(%l+)=(%S+)") do run[key] = tonumber(value) end
  if not run.wall then error("bench/measure.c failed: " .. (line or "no output"), 0) end
  run.cpu, run.mb = run.user + run.system, run.rss / 1024
  run.trouble = trouble(run)
  run.errors = shell.read(errors)
  return run
end

--- Runs a command.
-- @tparam string command one program and its arguments, quoted for the shell
-- @tparam[opt] string dir working directory
-- @treturn run a table: `wall` and `cpu`, seconds; `mb`, peak resident memory in megabytes; `trouble`, how it failed,
--   or nil; `timeout`, the time limit, if the run was stopped; `errors`, the command's standard error
function methods:run(command, dir)
  local errors = self.scratch .. "/stderr"
  return parse(shell.capture(measuring(self, command, dir, errors)), errors)
end

--- Runs several commands, two at a time.
-- @tparam {{command=string,dir=string},...} jobs
-- @treturn {run,...} see `run`; in the order of the jobs
function methods:together(jobs)
  local names, runs = {}, {}
  local function path(i, kind) return ("%s/together/%d.%s"):format(self.scratch, i, kind) end
  for i, job in ipairs(jobs) do
    names[i] = quote(path(i, "sh"))
    local words = measuring(self, job.command, job.dir, path(i, "stderr"))
    shell.write(path(i, "sh"), words, " >", quote(path(i, "run")), "\n")
  end
  if jobs[1] then shell.run(("printf '%%s\\n' %s | xargs -P 2 -n 1 sh"):format(table.concat(names, " "))) end
  for i in ipairs(jobs) do runs[i] = parse(shell.read(path(i, "run")), path(i, "stderr")) end
  return runs
end

return meters
