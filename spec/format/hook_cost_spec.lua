-- The correction of samples by what counting calls costs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local hook_cost = require "gprof.format.hook_cost"

-- Corrects samples. A call is { context, callee's context, calls }, a sample { context, ticks }. Returns what was taken
-- out, and the ticks that are left.
local function corrected(cost, of, ...)
  local records = {}
  for i, given in ipairs { ... } do
    records[i] = { context = given[1], entered = given[3] and given[2], count = given[3] or given[2],
      is_call = given[3] ~= nil }
  end
  local taken, left = hook_cost.correct(records, of, cost), {}
  for _, record in ipairs(records) do
    if not record.is_call then left[#left + 1] = record.count end
  end
  return { taken, left }
end

describe("the cost of counted calls", function()
  it("is taken out of the samples of caller and callee, in equal parts of their lines", function()
    assert.same({ 20, { 54, 36, 5 } }, corrected(0.02, { [3] = "f", [4] = "g" }, { 0, 3, 1 }, { 3, 4, 1000 }, { 3, 60 },
      { 3, 40 }, { 4, 15 }))
    assert.same({ 0, { 60 } }, corrected(0.02, { [3] = "f" }, { 0, 3, 1 }, { 3, 60 }))
  end)

  it("is at most all samples of a path; the rest is taken from other paths of the function", function()
    local of <const> = { [3] = "f", [4] = "g", [5] = "g", [6] = "h" }
    assert.same({ 11, { 0, 90, 50 } }, corrected(0.02, of, { 0, 4, 1100 }, { 4, 1 }, { 5, 100 }, { 6, 50 }))
    assert.same({ 11, { 90, 0, 50 } }, corrected(0.02, of, { 0, 5, 1100 }, { 4, 100 }, { 5, 1 }, { 6, 50 }))
    assert.same({ 3, { 0, 0, 50 } }, corrected(0.02, of, { 0, 5, 1100 }, { 4, 2 }, { 5, 1 }, { 6, 50 }))
  end)

  it("is not lost in the fractions of many paths", function()
    local of, given = {}, {}
    for context = 3, 102 do
      of[context] = "f"
      given[#given + 1] = { 0, context, 10 }
      given[#given + 1] = { context, 2 }
    end
    assert.equal(50, corrected(0.1, of, table.unpack(given))[1])
  end)
end)
