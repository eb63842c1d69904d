-- Time that moved because of inlining: gprof.analysis.inlining. What gates make of it is in gate_spec.lua.
-- SPDX-License-Identifier: GPL-3.0-or-later

local inlining = require "gprof.analysis.inlining"
local steps = require "support.steps"

-- Returns the sides, a function that returns rows, and the rows of a program that calls each function of a layer from
-- each function of the layer above, and that has only its first function left.
local function layers(count, width)
  local rows, calls, row_of, above = {}, {}, {}, nil
  for layer = 1, count do
    local list = {}
    for i = 1, layer == 1 and 1 or width do
      local time = { old = count - layer + 1, new = 0 }
      list[i] = { self = { old = 1, new = 0 }, total = time }
      rows[#rows + 1], row_of[list[i]] = list[i], list[i]
      for _, caller in ipairs(above or {}) do
        calls[#calls + 1] = { caller, list[i], 1, 1 / #above, time.old / #above }
      end
    end
    above = list
  end
  local function side(arcs)
    return { runs = 1, arcs = function()
      local at = 0
      return function()
        at = at + 1
        return table.unpack(arcs[at] or {})
      end
    end }
  end
  return { old = side(calls), new = side {} }, function(f) return row_of[f] end, rows
end

describe("time of functions that may have been inlined", function()
  it("is that of all functions below, to a depth of eight calls", function()
    local sides, row_of, rows = layers(12, 1)
    local shifts = inlining.shifts(sides, row_of, rows)
    assert.equal(8, shifts[rows[1]].inlined)
    assert.equal(2, shifts[rows[10]].inlined)
    assert.equal(0, shifts[rows[12]].inlined)
  end)

  it("takes work in proportion to the calls, and not to the call paths", function()
    local sides, row_of, rows = layers(9, 12)
    local shifts
    local taken = steps.taken(function() shifts = inlining.shifts(sides, row_of, rows) end, 10000000)
    assert.is_true(taken < 10000000, "there are 430 million call paths, and 1,000 calls")
    assert.near(8 * 12, shifts[rows[1]].inlined, 1e-9)
  end)
end)
