-- gprof.library.files.source_text: the lines of a source file.
-- SPDX-License-Identifier: GPL-3.0-or-later

local source_text = require "gprof.library.files.source_text"

describe("the lines of a text", function()
  it("have their line endings", function()
    assert.same({ "a\r\n", "\n", "b\0c\n" }, source_text.lines "a\r\n\nb\0c\n")
  end)

  it("include a last one without an ending", function()
    assert.same({ "a\n", "b" }, source_text.lines "a\nb")
    assert.same({ { [2] = "b" }, 2 }, { source_text.lines("a\nb", { [2] = true, [3] = true }) })
    assert.same({}, source_text.lines "")
  end)
end)

describe("the time when a program was built", function()
  it("is the largest number if its file is gone", function()
    assert.equal(math.maxinteger, source_text.built { path = "/nonexistent" })
  end)
end)
