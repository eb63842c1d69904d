-- gprof.format.column_order: order without comparison functions.
-- SPDX-License-Identifier: GPL-3.0-or-later

local column_order = require "gprof.format.column_order"
local sorted = require "gprof.format.sorted"

describe("columns", function()
  local function sort(at)
    local names = {}
    for i in ipairs(at) do names[i] = string.char(96 + i) end
    local columns = column_order.sort({ at = at, name = names }, "at")
    return table.concat(columns.name), columns.at
  end

  it("keep the order of equal rows", function()
    local names, at = sort { 2, -1, 2, math.maxinteger, math.mininteger, 2 }
    assert.equal("ebacfd", names)
    assert.same({ math.mininteger, -1, 2, 2, 2, math.maxinteger }, at)
  end)

  it("are sorted by integers of 64 bits exactly, and by numbers with fractions", function()
    assert.equal("ba", (sort { (1 << 62) + 1, 1 << 62 }))
    assert.equal("cabd", (sort { 1, 1.5, -math.huge, 2 }))
  end)

  it("may have no rows", function()
    assert.equal("", (sort {}))
  end)

  it("are the same if they are in order", function()
    local at = { 1, 1, 3 }
    assert.equal(at, column_order.sort({ at = at }, "at").at)
  end)

  it("are sorted by several of them, the first one that differs", function()
    assert.same({ 3, 4, 2, 1 }, column_order.by { { 1, 1, 0, 0 }, { 2, 2, 3, 3 }, { 5, 4, 6, 6 } })
    assert.same({ 1, 2, 3 }, column_order.by { { 1, 1, 2 }, { 3, 4, 0 } })
    assert.is_nil(column_order.by { { 1, 1, 2 }, { 3, 4, 4 } })
  end)

  it("are sorted by strings, byte by byte", function()
    assert.equal("dbac", (sort { "b", "a\0b", "\xff", "a" }))
  end)

  it("are not sorted by anything else", function()
    assert.has_error(function() column_order.of { 1, "two" } end)
    assert.has_error(function() column_order.of { "one", 2 } end)
  end)
end)

describe("the threshold of the largest numbers", function()
  local function count_from(numbers, least)
    local count = 0
    for _, number in ipairs(numbers) do count = count + (number >= least and 1 or 0) end
    return count
  end

  it("is reached by as many of them as are asked for", function()
    local numbers = {}
    for i = 1, 500 do numbers[i] = 37 * i % 503 end
    for _, most in ipairs { 1, 2, 99, 499 } do
      assert.equal(most, count_from(numbers, column_order.threshold(numbers, most)))
    end
  end)

  it("is reached by more only if they are equal", function()
    assert.equal(2.5, column_order.threshold({ 1, 2.5, 7, 2.5, 0, 2.5 }, 2))
    assert.equal(math.maxinteger - 1, column_order.threshold({ 0, math.maxinteger, math.maxinteger - 1 }, 2))
  end)

  it("is reached by all numbers if there are not more", function()
    assert.equal(-math.huge, column_order.threshold({ 3, 4 }, 2))
  end)
end)

describe("the keys of a table", function()
  it("are sorted as Lua sorts them", function()
    local numbers, names = {}, {}
    for i = 1, 300 do numbers[7 * i % 1009], names[("f%d"):format(i)] = true, true end
    assert.same(sorted.keys(numbers), column_order.keys(numbers))
    assert.same(sorted.keys(names), column_order.keys(names))
    assert.same({}, column_order.keys {})
  end)
end)
