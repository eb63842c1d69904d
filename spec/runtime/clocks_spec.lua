-- The clocks that sample threads: short lives, periodic work, and what the program notices.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local sampled = require "support.sampled"
local shell = require "support.shell"

local lack <const> = recorder.lack()
if lack then return pending(lack) end

local lives <const> = recorder.compile "lives.c"
local image <const> = assert(gprof.image(lives.image))
local FLAGS <const> = { perf = 4 + 32, thread = 8, timer = 16 }

-- Records a run. Returns the profile of all processes, and the seconds that the program measured in `first` and
-- `second`.
local function record(clock, words, options)
  local result = recorder.run(lives, words, { env = { GPROF_RECORDER = "clock=" .. clock }, before = options })
  assert.same({ "", 0 }, { result.stderr, result.status })
  local first, second = result.stdout:match "^(%S+) (%S+)\n$"
  local files = {}
  for name in shell.check({ "ls", result.dir }).stdout:gmatch "[^\n]+" do
    if not name:find "ctx$" then files[#files + 1] = result.dir .. "/" .. name end
  end
  local data = assert(gprof.data(image, table.unpack(files)))
  return assert(gprof.profile(image, data)), tonumber(first), tonumber(second)
end

-- Whether the kernel allows a clock here. If not, another one is used.
local function has(clock)
  local profile = record(clock, { "threads", "1", "1000" })
  return profile.clocks & FLAGS[clock] ~= 0
end

-- Steps that take about a millisecond.
local steps <const> = (function()
  local _, first = record("timer", { "threads", "1", "200000000" })
  return 200000000 // (first * 1000)
end)()

local function of(milliseconds) return ("%.0f"):format(steps * milliseconds) end

-- Checks the time of each function, within 4 of the errors that the profile states, and a part of it for the time that
-- the recorder takes in the thread itself.
local function check(part, profile, first, second)
  for name, truth in pairs { first = first, second = second } do
    local f = assert(profile:find(name))
    local error = profile:error_of(f.ticks)
    local difference = math.abs(f.self - truth)
    assert.is_true(difference <= 4 * error + part * truth,
      ("%s: %.3f +- %.3f instead of %.3f"):format(name, f.self, error, truth))
  end
end

for _, clock in ipairs { "perf", "thread", "timer" } do
  describe("the clock " .. clock, function()
    if not has(clock) then return pending("the clock " .. clock .. ", which the kernel does not allow") end

    it("shows the time of short threads", function()
      for _, life in ipairs(chance.thorough and { 0.3, 3 } or { 3 }) do
        sampled.decide(function()
          local count = ("%.0f"):format(200 / life)
          local part = chance.thorough and clock ~= "thread" and 0.3 or 0.5
          check(part, record(clock, { "threads", count, of(life / 2) }))
        end)
      end
    end)

    -- How close other times are depends on the machine.
    if not chance.thorough then return end

    if clock ~= "thread" then
      it("shows the time of short processes in the sum of many", function()
        sampled.decide(function() check(0.3, record(clock, { "processes", "150", of(0.5) })) end)
      end)
    end

    if clock ~= "timer" then
      it("shows equal shares of equal work in a periodic thread", function()
        for _, case in ipairs { { 20, 3 }, { 4, 0.5 } } do
          sampled.decide(function()
            local count, period = ("%.0f"):format(1000 / case[1]), ("%.0f"):format(case[1] * 1000)
            check(0.1, record(clock, { "periods", count, of(case[2]), period }))
          end)
        end
      end)
    end
  end)
end

describe("a program behaves as without the recorder, with the clock", function()
  local behaves <const> = recorder.compile "behaves.c"

  for _, clock in ipairs { "perf", "timer" } do
    for _, what in ipairs { "descriptors", "limit", "threads", "handler", "shared", "alias", "disarmed",
      "blocked", "trap", "execute", "interrupted" } do
      it(clock .. ": " .. what, function()
        local plain = recorder.run(behaves, { what }, { preload = "" })
        local result = recorder.run(behaves, { what }, { env = { GPROF_RECORDER = "clock=" .. clock } })
        assert.same({ plain.stdout, plain.stderr, plain.status, plain.signal },
          { result.stdout, result.stderr, result.status, result.signal })
        local read <close> = assert(gprof.data(assert(gprof.image(behaves.image)), result.dir .. "/gmon.out"))
        assert.is_true(assert(gprof.profile(assert(gprof.image(behaves.image)), read)):find "work".calls > 0)
      end)
    end
  end
end)

it("a program with a handler of SIGTRAP keeps the clock perf", function()
  local behaves <const> = recorder.compile "behaves.c"
  local function clocks(what)
    local result = recorder.run(behaves, { what }, { env = { GPROF_RECORDER = "clock=perf" } })
    local read <close> = assert(gprof.data(assert(gprof.image(behaves.image)), result.dir .. "/gmon.out"))
    return assert(gprof.profile(assert(gprof.image(behaves.image)), read)).clocks
  end
  assert.equal(clocks "interrupted", clocks "handler")
end)

describe("a profile with hardly any sample", function()
  local obstacles <const> = recorder.compile "obstacles.c"
  local taken <const>, blocked <const> = "the program set an action for the signal that takes samples",
    "the program blocked the signal that takes samples"

  for what, reason in pairs { handle = taken, ignore = taken, unseen = taken, block = blocked } do
    it("says that the program is the cause: " .. what, function()
      local result = recorder.run(obstacles, { what }, { env = { GPROF_RECORDER = "clock=timer" } })
      assert.same({ "", 0 }, { result.stderr, result.status })
      local report = program.run { "-b", "-p", obstacles.image, result.dir .. "/gmon.out" }
      -- the first tick may come before the program is the cause
      assert.matches("\nSamples stand for only %d%% of the processor time, %d+%.%d+ seconds: " .. reason .. "%.\n",
        report.stdout)
    end)
  end
end)
