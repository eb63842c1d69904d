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

describe("words for the shell", function()
  it("are quoted if necessary; paths are no options", function()
    assert.same({ "a/b-c.prof", "'a b'", [['it'\''s']], "'-[Shape area]'" }, { wording.shell_word "a/b-c.prof",
      wording.shell_word "a b", wording.shell_word "it's", wording.shell_word "-[Shape area]" })
    assert.same({ "./-x.prof", "'./-x y'", "x.prof", "./@x.prof", "-" }, { wording.shell_path "-x.prof",
      wording.shell_path "-x y", wording.shell_path "x.prof", wording.shell_path "@x.prof", wording.shell_path "-" })
  end)
end)
