-- Profiles of Lua programs: gprof.scripts.script_profile writes what the hooks have recorded.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local crc32 = require "gprof.hooks".crc32
local gprof = require "gprof"
local script_profile = require "gprof.scripts.script_profile"
local shell = require "support.shell"

local RECORD <const>, NONE <const>, ROOTS <const> = "<I4I4I4I4I8", 0xffffffff, 3
local FUNCTIONS <const> = 5

-- Returns the context of a function if it is on the path to a context.
local function context_on_path(calls, context, callee)
  while context >= ROOTS do
    if calls[context].callee == callee then return context end
    context = calls[context].context
  end
end

-- Returns records of random calls and samples, and the number of ticks. Many calls have a count of 0, as those have
-- that only lead to samples. A recursive call enters the context of the function's first call.
local function random_records()
  local parts, calls, contexts, ticks = {}, {}, { 0 }, 0
  for row = 0, ROOTS - 1 do parts[row + 1] = RECORD:pack(row, row, 0, 0, 0) end
  for row = ROOTS, ROOTS + math.random(40) do
    local context = contexts[math.random(#contexts)]
    local callee, count = math.random(0, FUNCTIONS - 1), math.random(3) == 1 and math.random(9) or 0
    local is_sample = math.random(4) == 1
    local entered = not is_sample and context_on_path(calls, context, callee) or row
    if is_sample then
      ticks = ticks + count
    elseif entered == row then
      calls[row], contexts[#contexts + 1] = { context = context, callee = callee }, row
    end
    parts[#parts + 1] = RECORD:pack(context, entered, is_sample and NONE or callee, row, count)
  end
  return table.concat(parts), ticks
end

local function functions()
  local list = {}
  for i = 1, FUNCTIONS do
    list[i] = { source = "@f.lua", first = i, last = i, signature = 0, name = "f" .. i, rank = 1, executions = {},
      created = {} }
  end
  return list
end

describe("the profile of a Lua program", function()
  local repeatedly <const> = chance.cases(1, 100)

  it("can be read, whatever calls lead nowhere", function()
    local path = shell.tmpdir "script-profile" .. "/random.prof"
    local function check()
      local records, ticks = random_records()
      shell.write(path, script_profile.bytes({ functions = functions(), records = records, process = 1, parent = 1,
        began = 1, ended = 2, memory = 1, cpu = 1, signals = 0, inside = 0, joined = false },
        { rate = 1000, command = "", crc32 = crc32 }))
      local image <close> = assert(gprof.image(path))
      local data <close> = assert(gprof.data(image, path))
      local profile <close> = assert(gprof.profile(image, data, { libraries = true }))
      assert.same({}, profile:unusable_libraries())
      assert.equal("complete", data.call_paths)
      local sum = 0
      for own in profile:functions("address", "ticks") do sum = sum + own end
      assert(sum <= ticks)  -- samples outside functions belong to none
    end
    repeatedly(function() for _ = 1, 20 do check() end end)
  end)
end)
