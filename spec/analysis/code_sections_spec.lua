-- Functions that share a section: gprof.analysis.code_sections.
-- SPDX-License-Identifier: GPL-3.0-or-later

local code_sections = require "gprof.analysis.code_sections"
local steps = require "support.steps"

-- Returns a profile of functions with these entries, and with these sequences of lines: their first and last address.
local function profile_of(entries, sequences)
  local function each(list, values)
    local at = 0
    return function()
      at = at + 1
      if list[at] then return values(list[at]) end
    end
  end
  local rows = {}
  for _, sequence in ipairs(sequences) do
    rows[#rows + 1], rows[#rows + 2] = { sequence[1], "a.c" }, { sequence[2] }
  end
  return { functions = function() return each(entries, function(entry) return entry, entry end) end,
    get = function(_, id) return entries[id] end,
    image = { lines = function() return each(rows, table.unpack) end } }
end

describe("functions that share a section", function()
  it("are those in a sequence with others", function()
    local function count(sequences)
      return code_sections.count_sharing(profile_of({ 16, 32, 48 }, sequences), { 1, 2, 3 })
    end
    assert.equal(0, count {})
    assert.equal(0, count { { 16, 32 }, { 32, 48 }, { 48, 64 } })
    assert.equal(2, count { { 16, 48 }, { 48, 64 } })
    assert.equal(2, count { { 32, 64 }, { 16, 32 } })
    assert.equal(3, count { { 16, 64 } })
  end)

  it("are found with little work, however much sequences overlap", function()
    local entries, sequences, list = {}, {}, {}
    for i = 1, 2000 do entries[i], sequences[i], list[i] = 16 * i, { 16, 16 * 2001 }, i end
    local count
    assert.is_true(steps.taken(function()
      count = code_sections.count_sharing(profile_of(entries, sequences), list)
    end, 5000000) < 5000000)
    assert.equal(2000, count)
  end)
end)
