-- Runs the program on damaged images and profiles, many times in one process: `INTERPRETER fuzz/images/whole_runs.lua
-- [NAME=VALUE...]`, from the checkout.
--
--   runs=1000   number of runs
--   seed=1      seed of the random numbers
--   first=1     number of the first run
--   show=1      print each run and its result
--   fixtures=3  use only this number of fixtures
--   crash=5     end this run with SIGABRT, to test the tool
--
-- Seed and number determine a run. Its command line reads up to four files: an image and a profile; a library and its
-- profile, an older image and profile, or an export in JSON. One or two of them are damaged. A process makes BATCH
-- runs. If it crashes, the run in which it did is a fault, and the next process begins with the following run.
--
-- Prints each fault; `first=NUMBER runs=1` repeats its run. The exit status is 1 if there is a fault.
-- SPDX-License-Identifier: GPL-3.0-or-later

package.path = "./?.lua;./spec/?.lua;./lua/?.lua;./lua/?/init.lua;" .. package.path
package.cpath = "./build/?.so;" .. package.cpath

local core = require "gprof.core"
local damage = require "fuzz.images.damage"
local fixtures = require "fuzz.images.fixtures"
local judge = require "fuzz.images.judge"
local main = require "gprof.cli.main"
local mutations = require "fuzz.images.mutations"
local shell = require "support.shell"

local BATCH <const> = 200

local settings = { runs = 1000, seed = 1, first = 1 }
for _, word in ipairs(arg) do
  local name, value = word:match "^(%w+)=(.*)$"
  if not name then error("not NAME=VALUE: " .. word) end
  settings[name] = math.tointeger(tonumber(value)) or settings[name]
end
local last <const> = settings.first + settings.runs - 1

-- The runs ------------------------------------------------------------------------------------------------------------

-- Options; words without "-" follow the image and the profile.
local lines <const> = {
  "--compare={OLD},{OLDIMAGE} --force", "--compare={OLD},{OLDIMAGE} --force --export=json:{OUT}",
  "--compare={OLD},{OLDIMAGE} --fail-on=100000", "--compare={JSON}", "--compare={JSON} --force -n main",
  "--compare={JSON} --force --html={OUT}", "--compare={OLD} --color=always -w20",
  "--compare={OLD} --fail-on=calls:0,0 --export=sarif:{OUT}", "--compare={OLD} --export=markdown:{OUT}",
  "--compare={OLD} --fail-on=self:0@main --export=junit:{OUT}", "--baseline={OUT} --update-baseline {OLD}",
  "--export=cpuprofile:{OUT}", "--export=lcov:{OUT}",
  "--html={OUT} -I{SOURCES}", "--html={OUT} -l", "--html={OUT} -z --tree", "--html={OUT} --with={LIBRARY}:{OLD}",
  "--html={OUT} -c", "--with={LIBRARY}:{OLD} -b", "--with={LIBRARY}:{OLD} --export=callgrind:{OUT}",
  "--with={LIBRARY}:{OLD} --tree -p", "--with={LIBRARY}:{OLD} --slide=0x1000",
  "-s --sum-file={OUT}", "-s --sum-file={OUT} {OLD}", "-l -A -I{SOURCES}", "--bounds", "--tree", "--verify", "-i", "-r",
  "--errors -p", "-q -c", "-C -l", "--gnu-compat -l -A -I{SOURCES}", "--gnu-compat -c", "--slide=auto -p",
  "--export=pprof:{OUT} -l", "--export=callgrind:{OUT} -l", "--export=speedscope:{OUT}", "--export=folded:{OUT}",
  "--export=dot:{OUT}", "--export=csv:{OUT}", "--export=csv-arcs:{OUT}", "--export=json:{OUT} -l",
}

-- The files that may be damaged, and how.
local ways <const> = {
  IMAGE = mutations.damage, OLDIMAGE = mutations.damage, LIBRARY = mutations.damage,
  PROFILE = damage.bytes, OLD = damage.bytes, JSON = damage.bytes,
}

local function pick(list) return list[math.random(#list)] end

-- Returns the contents of all files of a command line, before they are damaged.
local function contents(fixture, other)
  return { IMAGE = fixture.image, OLDIMAGE = fixture.image, LIBRARY = other.image, PROFILE = fixture.profile_bytes,
    OLD = fixture.profile_bytes, JSON = fixture.json }
end

-- Writes the files of a run. Returns a description of the damage.
local function write_files(line, fixture, other, dir)
  local files, names, done = contents(fixture, other), { "IMAGE", "PROFILE" }, {}
  for _, name in ipairs { "OLDIMAGE", "LIBRARY", "OLD", "JSON" } do
    if line:find("{" .. name .. "}", 1, true) then names[#names + 1] = name end
  end
  for _ = 1, math.random(2) do
    local name = pick(names)
    local what
    files[name], what = ways[name](files[name])
    done[#done + 1] = name .. ": " .. what
  end
  for _, name in ipairs(names) do shell.write(dir .. "/" .. name, files[name]) end
  return table.concat(done, "; ")
end

local function words_of(line, fixture, dir)
  local words, others = {}, { dir .. "/IMAGE", dir .. "/PROFILE" }
  for word in line:gmatch "%S+" do
    local list = word:find "^-" and words or others
    list[#list + 1] = word:gsub("{(%u+)}", function(name)
      return name == "SOURCES" and fixture.dir or dir .. "/" .. name
    end)
  end
  return table.move(others, 1, #others, #words + 1, words)
end

-- Calls the program. Returns its exit status, nil after an error of Lua, and its messages.
local function call(words)
  local messages <close> = assert(io.tmpfile())
  io.stderr = messages -- luacheck: globals io.stderr
  local done, status = xpcall(main.run, debug.traceback, words)
  messages:seek "set"
  local text = messages:read "a"
  return done and status or nil, done and text or text .. status
end

-- --fail-on and --verify have statuses of their own. --slide and --fail-on print lines about what they find.
local function verdict_of(status, text, line)
  local fails, slides = line:find("--fail-on", 1, true), line:find("--slide", 1, true)
  if status == 2 and fails or status == 1 and line == "--verify" and text == "" then status = 0 end
  return judge.verdict({ status = status, stderr = text, printed = 1, memory = 0 },
    { silent = true, chatty = fails or slides })
end

-- Makes one run. Returns the verdict, its messages, the damage and the words.
local function run(number, all, dir)
  math.randomseed(settings.seed, number)
  local fixture, other, line = pick(all), pick(all), pick(lines)
  local damaged = write_files(line, fixture, other, dir)
  local words = words_of(line, fixture, dir)
  local status, text = call(words)
  return verdict_of(status, text, line), text, damaged, table.concat(words, " ")
end

-- Makes the runs from `first` on, at most BATCH. Writes a line for each when it begins, and when it ends.
local function run_batch(first, all, dir, log)
  for number = first, math.min(first + BATCH - 1, last) do
    log:write(("begin %d\n"):format(number))
    if number == settings.crash then os.execute "kill -ABRT $PPID" end
    local verdict, text, damaged, words = run(number, all, dir)
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
local function next_batch(first, all, dir)
  local path = dir .. "/log"
  local log <close> = assert(io.open(path, "wb"))
  log:setvbuf "no"
  local output <close> = core.spool()
  local process <close>, problem = core.fork(output)
  if process == false then
    run_batch(first, all, dir, log)
    os.exit(0, false)
  end
  local how, code = assert(process, problem):wait()
  local interrupted = read_log(path)
  if how == "exit" and code == 0 then return first + BATCH end
  report_fault(interrupted or first, ("crash: %s %d"):format(how, code))
  return (interrupted or first + BATCH - 1) + 1
end

local function load_fixtures(dir)
  local all = fixtures.make(dir, settings.fixtures)
  for _, fixture in ipairs(all) do
    fixture.profile_bytes = shell.read(fixture.profile)
    local made = call { "--export=json:" .. dir .. "/json", fixture.dir .. "/image", fixture.profile }
    fixture.json = made == 0 and shell.read(dir .. "/json") or "{}"
  end
  return all
end

local dir <const> = shell.tmpdir "whole"
local all <const> = load_fixtures(shell.tmpdir "fixtures")
local number = settings.first
while number <= last do number = next_batch(number, all, dir) end
print(("seed %d, runs %d to %d: %d reports, %d lines, %d faults"):format(settings.seed, settings.first, last,
  count.report, count.line, count.fault))
os.exit(count.fault == 0, true)
