-- Invisible characters can change how the text around them is displayed. Terminals and HTML pages show their numbers
-- instead.
-- SPDX-License-Identifier: GPL-3.0-or-later

local terminal = require "gprof.format.terminal"
local text = require "gprof.export.html.page_text"

-- C1 controls, the Arabic letter mark, directional marks, separators, embeddings, isolates, the byte order mark.
local invisible <const> = { 0x80, 0x9F, 0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069, 0xFEFF }
local visible <const> = { 0xA0, 0xDF, 0x61B, 0x61D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A, 0xFEFE, 0x1F600 }

describe("an invisible character", function()
  local getenv = os.getenv

  setup(function()
    os.getenv = function(name) return name == "LC_ALL" and "C.UTF-8" or getenv(name) end  -- luacheck: ignore
  end)

  teardown(function()
    os.getenv = getenv  -- luacheck: ignore
  end)

  for _, code in ipairs(invisible) do
    it(("U+%04X is replaced by its number on a terminal"):format(code), function()
      assert.equal(("a\\u{%x}b"):format(code), terminal.shown("a" .. utf8.char(code) .. "b"))
    end)

    it(("U+%04X is replaced by its number in an HTML page"):format(code), function()
      assert.equal(("a\\u{%X}b"):format(code), text.shown("a" .. utf8.char(code) .. "b"))
    end)
  end

  it("is replaced alone: characters with neighbouring numbers are left unchanged", function()
    for _, code in ipairs(visible) do
      local letters = "a" .. utf8.char(code) .. "b"
      assert.equal(letters, terminal.shown(letters))
      assert.equal(letters, text.shown(letters))
    end
  end)
end)
