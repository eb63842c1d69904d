-- The time of the functions that lines call, in measured profiles. Those of others are in the specs of pages.
-- SPDX-License-Identifier: GPL-3.0-or-later

local call_lines = require "gprof.analysis.call_lines"

-- Returns an iterator over rows of two values.
local function each(rows)
  local i = 0
  return function()
    i = i + 1
    if rows[i] then return rows[i][1], rows[i][2] end
  end
end

describe("The callees of lines", function()
  -- Contexts are numbered; each has its caller's number and the address of the call. Lines are addresses before these,
  -- in hundreds.
  local function callees(contexts, samples, has_scripts)
    local data = {
      contexts = function() return each(contexts) end, context_samples = function() return each(samples) end }
    local image = { has_scripts = has_scripts, line = function(_, address) return "a.c", address // 100 end }
    local profile = { exact = true }
    return call_lines.of(profile, { data = data, image = image }, { ["a.c"] = { "one", "two", "three" } })
  end

  it("have the samples below all calls of a line", function()
    assert.same({ one = 12, two = 7 },
      callees({ { 0, 110 }, { 0, 120 }, { 1, 210 }, { 1, 910 } }, { { 1, 2 }, { 2, 3 }, { 3, 7 }, { 0, 50 } }))
  end)

  it("count once what is below recursive calls of a line", function()
    assert.same({ one = 10, two = 6, three = 4 },
      callees({ { 0, 110 }, { 1, 210 }, { 2, 110 }, { 3, 210 }, { 4, 310 } }, { { 1, 4 }, { 3, 2 }, { 5, 4 } }))
  end)

  it("are those of the instruction before the address, or of the address in Lua programs", function()
    local calls, samples = { { 0, 200 } }, { { 1, 1 } }
    assert.same({ one = 1 }, callees(calls, samples))
    assert.same({ two = 1 }, callees(calls, samples, true))
  end)
end)
