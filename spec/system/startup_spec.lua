-- Short commands are fast: only the modules they need are loaded, as bytecode. Starting the program takes at most a few
-- times the instructions of starting Lua with the core.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local launch = require "support.launch"
local program = require "support.program"
local work = require "support.work"

-- Ten functions; each calls the next.
local plan <const> = { functions = {}, ticks = {}, calls = {} }
for i = 1, 10 do
  local name = "f" .. i
  plan.functions[i], plan.ticks[name] = name, i
  if i > 1 then plan.calls[i - 1] = { plan.functions[i - 1], name, i } end
end
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

describe("a profile", function()
  it("is read only once, so it may come from a pipe", function()
    local plain = program.run { "-b", image, profile }
    local piped = launch.line('cat "$4" | "$1" "$2" -b "$3" /dev/stdin', { image, profile })
    assert.same({ 0, "", plain.stdout }, { piped.status, piped.stderr, piped.stdout })
  end)
end)

-- The limits apply to the ordinary interpreter. Under coverage, the hook would dominate the count.
if os.getenv "GPROF_LUA" or os.getenv "GPROF_COVERAGE" then return end

if not work.countable() then
  return pending "needs valgrind, which counts instructions"
end

describe("starting the program", function()
  local least

  setup(function()
    local load = ("package.cpath = %q require 'gprof.core'"):format(program.root .. "/build/?.so")
    least = work.of_process { "lua5.4", "-e", load }
  end)

  -- Returns the number of instructions, divided by the number that Lua with the core takes to start. With modules
  -- loaded from source, the ratios are 3.2 and 6.3.
  local function ratio(...)
    return work.of_process { "lua5.4", program.root .. "/gprof.lua", ... } / least
  end

  for _, case in ipairs {
    { "the help page", 2.5, "-h" },
    { "a report of ten functions", 2.7, "-b", image, profile },
  } do
    local name, most = case[1], case[2]
    it(("takes at most %.2f times the instructions of loading Lua and the core: %s"):format(most, name), function()
      local times = ratio(table.unpack(case, 3))
      assert(times < most, ("%.2f times"):format(times))
    end)
  end
end)
