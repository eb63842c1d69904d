-- Runs the program on damaged images and profiles, many times in one process: `INTERPRETER fuzz/images/whole_runs.lua
-- [NAME=VALUE...]`, from the checkout.
--
--   runs=1000   number of runs
--   seed=1      seed of the random numbers
--   first=1     number of the first run
--   show=1      print each run and its result
--   kind=any    the files: `any` kinds, or one of fuzz/repaired/kinds.lua
--   fixtures=3  use only this number of fixtures
--   crash=5     end this run with SIGABRT, to test the tool
--
-- Seed and number determine a run. Its command line reads several files, such as an image, a profile and an export in
-- JSON. One or two of them are damaged. A process makes BATCH runs. If it crashes, the run in which it did is a fault,
-- and the next process begins with the following run.
--
-- Prints each fault; `first=NUMBER runs=1` repeats its run. The exit status is 1 if there is a fault.
-- SPDX-License-Identifier: GPL-3.0-or-later

package.path = "./?.lua;./spec/?.lua;./lua/?.lua;./lua/?/init.lua;" .. package.path
package.cpath = "./build/?.so;" .. package.cpath

local core = require "gprof.core"
local judge = require "fuzz.images.judge"
local main = require "gprof.cli.main"
local shell = require "support.shell"

local BATCH <const> = 200
local SECONDS <const> = 10 -- of processor time in a run

local settings = { runs = 1000, seed = 1, first = 1, kind = "any" }
for _, word in ipairs(arg) do
  local name, value = word:match "^(%w+)=(.*)$"
  if not name then error("not NAME=VALUE: " .. word) end
  settings[name] = math.tointeger(tonumber(value)) or value ~= "" and value or settings[name]
end
local last <const> = settings.first + settings.runs - 1

-- The runs ------------------------------------------------------------------------------------------------------------

-- Calls the program. Returns its exit status, nil after an error of Lua, and its messages.
local function call(words)
  local messages <close> = assert(io.tmpfile())
  io.stderr = messages -- luacheck: globals io.stderr
  local done, status = xpcall(main.run, debug.traceback, words)
  messages:seek "set"
  local text = messages:read "a"
  return done and status or nil, done and text or text .. status
end

-- --fail-on and --verify have statuses of their own. Some options print lines about what they find or do.
local function is_chatty(line)
  for _, option in ipairs { "--fail-on", "--slide", "--checkpoint", "--keep-going" } do
    if line:find(option, 1, true) then return true end
  end
end

local function verdict_of(result, line)
  if result.status == 2 and line:find("--fail-on", 1, true) then result.status = 0 end
  if result.status == 1 and line:find("--verify", 1, true) and result.stderr == "" then result.status = 0 end
  return judge.verdict(result, { silent = true, chatty = is_chatty(line) })
end

-- Returns a size in /proc/self/status, in KiB; 0 if the kernel does not tell.
local function memory(name)
  local status <close> = io.open "/proc/self/status"
  return status and tonumber(status:read "a":match(name .. ":%s*(%d+) kB")) or 0
end

-- Makes the highest use of memory that of now.
local function forget_peak()
  local clear <close> = io.open("/proc/self/clear_refs", "w")
  if clear then clear:write "5" end
end

-- Makes one run. Returns the verdict, its messages, the damage and the words.
local function run(number, prepare, dir)
  math.randomseed(settings.seed, number)
  local words, damaged, line = prepare(dir)
  forget_peak()
  local before, began = memory "VmRSS", os.clock()
  local status, text = call(words)
  local verdict = verdict_of({ status = status, stderr = text, printed = 1,
    memory = memory "VmHWM" - before, signal = os.clock() - began > SECONDS and "wait" or nil }, line)
  return verdict, text, damaged, table.concat(words, " ")
end

-- Makes the runs from `first` on, at most BATCH. Writes a line for each when it begins, and when it ends.
local function run_batch(first, prepare, dir, log)
  for number = first, math.min(first + BATCH - 1, last) do
    log:write(("begin %d\n"):format(number))
    if number == settings.crash then os.execute "kill -ABRT $PPID" end
    local verdict, text, damaged, words = run(number, prepare, dir)
    log:write(("end %d %s %s | %s | %s\n"):format(number, verdict, words, damaged, (text:gsub("%c", " "))))
    collectgarbage()
  end
end

-- The parent ----------------------------------------------------------------------------------------------------------

local count = { report = 0, line = 0, fault = 0 }

local function report_fault(number, text)
  count.fault = count.fault + 1
  print(("%d: %s"):format(number, text))
end

-- Reads the lines of a batch. Returns the number of the last run that began.
local function read_log(path)
  local begun
  for line in io.lines(path) do
    begun = tonumber(line:match "^begin (%d+)") or begun
    local number, verdict, rest = line:match "^end (%d+) (%l+) (.*)"
    if count[verdict] then
      count[verdict] = count[verdict] + 1
    elseif verdict then
      report_fault(tonumber(number), verdict .. ": " .. rest)
    end
    if number and settings.show then print(number, verdict, rest) end
    if number then begun = nil end
  end
  return begun
end

-- Makes runs in a child process, from number `first` on. Returns the number of the next run.
local function next_batch(first, prepare, dir)
  local path = dir .. "/log"
  local log <close> = assert(io.open(path, "wb"))
  log:setvbuf "no"
  local output <close> = core.spool()
  local process <close>, problem = core.fork(output)
  if process == false then
    run_batch(first, prepare, dir, log)
    os.exit(0, false)
  end
  local how, code = assert(process, problem):wait()
  local interrupted = read_log(path)
  if how == "exit" and code == 0 then return first + BATCH end
  report_fault(interrupted or first, ("crash: %s %d"):format(how, code))
  return (interrupted or first + BATCH - 1) + 1
end

-- Runs the program while the files are made. Returns whether it printed a report.
local function make(...) return call { ... } == 0 end

local dir <const> = shell.tmpdir "whole"

-- Returns a function that prepares the next run.
local function load_files()
  local files = shell.tmpdir "fixtures"
  if settings.kind == "any" then return require "fuzz.images.any_files".load(files, make, settings.fixtures) end
  return require "fuzz.repaired.runs".load(settings.kind, files, make, dir)
end

local prepare <const> = load_files()
local number = settings.first
while number <= last do number = next_batch(number, prepare, dir) end
print(("seed %d, runs %d to %d: %d reports, %d lines, %d faults"):format(settings.seed, settings.first, last,
  count.report, count.line, count.fault))
os.exit(count.fault == 0, true)
