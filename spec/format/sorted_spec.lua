-- gprof.format.sorted: order without comparison functions.
-- SPDX-License-Identifier: GPL-3.0-or-later

local sorted = require "gprof.format.sorted"

describe("tables sorted by a number", function()
  local function names(list)
    local all = {}
    for i, item in ipairs(list) do all[i] = item.name end
    return table.concat(all)
  end

  it("keep their order if it is equal", function()
    local list = { { at = 2, name = "a" }, { at = -1, name = "b" }, { at = 2, name = "c" }, { at = 1.5, name = "d" } }
    assert.equal("bdac", names(sorted.by(list, "at")))
    assert.equal("abcd", names(list))
  end)

  it("are the same list if they are in order", function()
    local list = { { at = 1, name = "a" }, { at = 1, name = "b" }, { at = 3, name = "c" } }
    assert.equal(list, sorted.by(list, "at"))
    assert.same({}, sorted.by({}, "at"))
  end)
end)
