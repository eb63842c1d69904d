-- gprof.format.wording: numbers for people.
-- SPDX-License-Identifier: GPL-3.0-or-later

local wording = require "gprof.format.wording"

describe("A rounded number", function()
  it("has its significant digits, and never an exponent for a large number", function()
    for text, value in pairs { ["0"] = 0, ["0.012"] = 0.0123, ["5"] = 5.0, ["99"] = 99.4, ["100"] = 99.6,
      ["1235"] = 1234.6 } do
      assert.equal(text, wording.rounded(value, 2))
    end
    assert.equal("1000 times", wording.growth { old = 1, new = 1000.4, ratio = 1000.4 })
  end)
end)
