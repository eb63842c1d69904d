-- The correction of samples by what counting calls costs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local hook_cost = require "gprof.format.hook_cost"

-- Corrects samples. A call is { context, callee's context, calls }, a sample { context, ticks, line = LINE }. Functions
-- are names, or tables. Returns what was taken out, and the ticks that are left.
local function corrected(cost, of, ...)
  local records, functions, by_name = {}, {}, {}
  for context, name in pairs(of) do
    by_name[name] = by_name[name] or { source = "@" .. tostring(name), executions = {} }
    functions[context] = type(name) == "table" and name or by_name[name]
  end
  for i, given in ipairs { ... } do
    records[i] = { context = given[1], entered = given[3] and given[2], count = given[3] or given[2],
      line = given.line or 1, is_call = given[3] ~= nil }
  end
  local costs = type(cost) == "table" and cost or { call = cost, c_call = cost / 2, line = 0 }
  local taken, left = hook_cost.correct(records, functions, costs), {}
  for _, record in ipairs(records) do
    if not record.is_call then left[#left + 1] = record.count end
  end
  return { taken, left }
end

describe("the cost of counted calls", function()
  it("is taken out of the samples of caller and callee, in equal parts of their lines", function()
    assert.same({ 20, { 52, 34, 9 } }, corrected(0.02, { [3] = "f", [4] = "g" }, { 0, 3, 1 }, { 3, 4, 1000 }, { 3, 60 },
      { 3, 40 }, { 4, 15 }))
    assert.same({ 0, { 60 } }, corrected(0.02, { [3] = "f" }, { 0, 3, 1 }, { 3, 60 }))
  end)

  it("has another size for C functions", function()
    local c_function <const> = { executions = {} }
    assert.same({ 10, { 93, 12 } }, corrected(0.02, { [3] = "f", [4] = c_function }, { 3, 4, 1000 }, { 3, 100 },
      { 4, 15 }))
  end)

  it("is at most all samples of a path; the rest is taken from other paths of the function", function()
    local of <const> = { [3] = "f", [4] = "g", [5] = "g", [6] = "h" }
    assert.same({ 11, { 0, 90, 50 } }, corrected(0.02, of, { 0, 4, 1850 }, { 4, 1 }, { 5, 100 }, { 6, 50 }))
    assert.same({ 11, { 90, 0, 50 } }, corrected(0.02, of, { 0, 5, 1850 }, { 4, 100 }, { 5, 1 }, { 6, 50 }))
    assert.same({ 3, { 0, 0, 50 } }, corrected(0.02, of, { 0, 5, 1850 }, { 4, 2 }, { 5, 1 }, { 6, 50 }))
  end)

  it("is not lost in the fractions of many paths", function()
    local of, given = {}, {}
    for context = 3, 102 do
      of[context] = "f"
      given[#given + 1] = { 0, context, 10 }
      given[#given + 1] = { context, 2 }
    end
    assert.equal(30, corrected(0.1, of, table.unpack(given))[1])
  end)

  it("is taken out of lines by their executions, also in zones; the rest out of other lines", function()
    local f <const>, zone <const> = { source = "@f", executions = { [7] = 100, [8] = 30, [9] = 50 } },
      { source = "@f", executions = {} }
    local of <const> = { [3] = f, [4] = zone, [5] = f }
    assert.same({ 18, { 4, 4, 27, 53 } }, corrected({ call = 0, line = 0.1 }, of, { 3, 9, line = 7 },
      { 4, 9, line = 7 }, { 5, 30, line = 8 }, { 3, 58, line = 10 }))
  end)
end)
