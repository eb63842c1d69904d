--- Compares times that the recorder samples with those that a program measures itself, and prints a Markdown table: for
-- each clock, lives of threads and processes, and periods, the part of the runs in which the shares of two equally long
-- functions are right within two stated errors, and how much of their time was shown.
--
--     lua5.4 bench/clocks.lua [RUNS [CLOCK...]]
--
-- Run it in the root of the checkout, after `make`. A clock that the kernel does not allow is left out.
--
-- @script clocks
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.cpath = root .. "build/?.so;" .. package.cpath

local gprof = require "gprof"
local markdown = require "bench.markdown"
local shell = require "bench.shell"
local turns = require "bench.turns"

local quote = shell.quote

-- Bits of `profile.clocks`.
local FLAGS <const> = { perf = 4 + 32, thread = 8, timer = 16 }

-- Milliseconds.
local LIVES <const> = { 0.3, 1, 3, 10, 30 }
local PERIODS <const> = { 1, 2, 4, 5, 7, 10, 16.7, 20 }

-- Milliseconds of work in a run, and the part of a period that is work.
local WORK <const>, BUSY <const> = 300, 0.3

local here = assert(shell.capture("realpath " .. quote(root)))
local dir = assert(shell.capture "mktemp -d")
local program <const> = dir .. "/lives"

shell.run(("gcc -O2 -g -pg -pthread -o %s %s/spec/fixtures/recorder/lives.c"):format(quote(program), quote(here)))
local image = assert(gprof.image(program))

--- Runs the program with a clock. Returns the profile of all processes, and the seconds that the program measured.
local function record(clock, what)
  shell.run(("rm -rf %s/run && mkdir %s/run"):format(quote(dir), quote(dir)))
  local measured = shell.capture(("cd %s/run && env -u GMON_OUT_PREFIX GPROF_RECORDER=clock=%s " ..
    "LD_PRELOAD=%s/build/libgprof-recorder.so %s %s"):format(quote(dir), clock, quote(here), quote(program), what))
  local files = {}
  for name in shell.capture(("ls %s/run"):format(quote(dir))):gmatch "%S+" do
    if not name:find "ctx$" then files[#files + 1] = dir .. "/run/" .. name end
  end
  local first, second = measured:match "(%S+) (%S+)"
  local data = assert(gprof.data(image, table.unpack(files)))
  return assert(gprof.profile(image, data)), tonumber(first), tonumber(second)
end

--- Tells whether the share of `first` is right within two of the errors that the profile states. Also returns the part
-- of the measured time that it shows.
local function judge(profile, first, second)
  local a, b = profile:find "first", profile:find "second"
  local x, y = a and a.self or 0, b and b.self or 0
  local sum = x + y
  if sum == 0 then return false, 0 end
  -- the error of x / (x + y), from those of x and y
  local ex, ey = profile:error_of(a and a.ticks or 0), profile:error_of(b and b.ticks or 0)
  local error = math.sqrt((ex * y) ^ 2 + (ey * x) ^ 2) / sum ^ 2
  return math.abs(x / sum - first / (first + second)) <= 2 * error, sum / (first + second)
end

-- The cases: a title, and the arguments of the program for a number of steps in a millisecond.
local cases <const> = {}
local function add(title, what, each, period)
  cases[#cases + 1] = { title = title, arguments = function(steps)
    return ("%s %.0f %.0f %s"):format(what, WORK / each, steps * each / 2, period or "")
  end }
end
for _, life in ipairs(LIVES) do add(("threads of %g ms"):format(life), "threads", life) end
for _, life in ipairs(LIVES) do add(("processes of %g ms"):format(life), "processes", life) end
for _, period in ipairs(PERIODS) do
  add(("once in %g ms"):format(period), "periods", period * BUSY, ("%.0f"):format(1000 * period))
end

local runs = math.tointeger(arg[1] or 50) or error "usage: lua5.4 bench/clocks.lua [RUNS [CLOCK...]]"
local clocks, used = #arg > 1 and table.move(arg, 2, #arg, 1, {}) or { "perf", "timer", "thread" }, {}
for _, clock in ipairs(clocks) do
  if record(clock, "threads 1 1000000").clocks & FLAGS[clock] ~= 0 then used[#used + 1] = clock end
end
local _, first = record("timer", "threads 1 200000000")
local steps = 200000000 / (first * 1000)

local rows = { { "work" } }
for _, clock in ipairs(used) do
  table.insert(rows[1], clock .. ": right")
  table.insert(rows[1], "shown")
end
for _, case in ipairs(cases) do
  local row = { case.title }
  for _, clock in ipairs(used) do
    local right, shown = 0, {}
    for i = 1, runs do
      local is_right
      is_right, shown[i] = judge(record(clock, case.arguments(steps)))
      if is_right then right = right + 1 end
    end
    table.insert(row, ("%d of %d"):format(right, runs))
    table.insert(row, ("%.2f"):format(turns.median(shown)))
  end
  rows[#rows + 1] = row
  io.stderr:write(table.concat(row, "  "), "\n")
end
io.write(markdown.table(rows))
shell.run("rm -r " .. quote(dir))
