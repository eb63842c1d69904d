-- The garbage collector of Lua programs: samples in it have a row of their own.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local sampled = require "support.sampled"
local shell = require "support.shell"

-- Makes tables, and then computes without garbage.
local SCRIPT <const> = [[
  collectgarbage(arg[1])
  local function make(n) local kept = {} for i = 1, n do kept[i % 50000] = { i, { i } } end end
  local function concat(n) local kept = {} for i = 1, n do kept[i % 50000] = ("x"):rep(100) .. i end end
  local function compute(n) local x = 0 for i = 1, n do x = x + i % 7 end end
  make(150000) concat(50000) compute(1000000)
]]

-- Returns the seconds of a row of the flat profile; 0 if there is none.
local function seconds_of(report, name)
  return tonumber(report:match("\n +[%d.]+ +[%d.]+ +([%d.]+)[^\n]* " .. name)) or 0
end

describe("the garbage collector", function()
  if os.getenv "GPROF_LUA" then return end -- sanitizers have an allocator of their own

  for _, mode in ipairs { "generational", "incremental", "stop" } do
    for _, option in ipairs { "--count=calls", "--count=none", "--with-c" } do
      it(("has a row: %s, %s"):format(mode, option), function()
        sampled.decide(function()
          local dir = shell.tmpdir "collector"
          shell.write(dir .. "/gc.lua", SCRIPT)
          local result = program.run({ "--record", option, "gc.lua", mode }, { cwd = dir })
          assert.equal(0, result.status, result.stderr)
          local report = program.run({ "-b", "-p", dir .. "/gc.prof" }).stdout
          local collector, compute = seconds_of(report, "garbage collector"), seconds_of(report, "compute")
          assert.truthy(compute > 0, report)
          if mode == "stop" then
            assert.equal(0, collector, report)
          else
            assert.truthy(collector > compute / 4, report)
            local callers = program.run({ "-b", "-qgarbage collector", dir .. "/gc.prof" }).stdout:match "^.-\n%-%-%-"
            assert.matches("make %(gc%.lua:2%)", callers)
            assert.not_matches("compute", callers)
          end
        end)
      end)
    end
  end
end)
