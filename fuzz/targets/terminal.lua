-- Fuzzes the filter that makes text safe for terminals. Names and source text come from untrusted files.
--
-- Parts: choices (whether the terminal expects UTF-8, whether colours are kept, where the text is cut), the text.
--
-- Properties: the result has no control characters except tab, newline, form feed, "\r" before "\n" and harmless colour
-- sequences, and no character that reorders text. Text without these is unchanged. Text in pieces, cut anywhere, gives
-- the same result.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local checks = require "checks"
local escape = require "gprof.format.escape"
local terminal = require "gprof.format.terminal"

local flag <const> = { false, true }

local locale
os.getenv = function(name) return name == "LC_ALL" and locale or nil end -- luacheck: globals os.getenv

-- Fails if a text has invisible characters of UTF-8, or bytes that are C1 controls.
local function check_wide(text)
  local at = text:find "[\128-\255]"
  while at do
    local code = utf8.len(text, at, at) and utf8.codepoint(text, at)
    assert(not code or not escape.is_invisible(code), "an invisible character")
    assert(code or not text:find("^[\128-\159]", at), "a control byte")
    at = text:find("[\128-\255]", at + (code and #utf8.char(code) or 1))
  end
end

-- Replaces sequences that set visible colours, bold, faint, italic, underlined and reverse text by a blank: such a
-- sequence also ends a character whose last bytes are missing.
local function without_colors(text)
  return (text:gsub("\27%[([0-9;]*)m", function(codes)
    for code in codes:gmatch "[^;]+" do
      code = tonumber(code)
      if not (code <= 4 or code == 7 or code // 10 == 2 or code >= 31 and code <= 37 or code == 39 or code > 90) then
        return nil
      end
    end
    return " "
  end))
end

local function check_shown(text, colored)
  if colored then text = without_colors(text) end
  text = text:gsub("\r\n", "\n")
  assert(not text:find "[\0-\8\11\13-\31\127]", "a control character")
  if terminal.is_utf8() then
    check_wide(text)
  else
    assert(not text:find "[\128-\159]", "a control byte")
  end
end

local function in_pieces(text, choose, colored)
  local shown, parts, at = terminal.filter(function() return colored end), {}, 1
  while at <= #text do
    local size = choose(64) + 1
    parts[#parts + 1] = shown(text:sub(at, at + size - 1))
    at = at + size
  end
  return table.concat(parts) .. shown()
end

return function(choices, text)
  local choose = checks.chooser(choices)
  locale = choose { "C", "C.UTF-8" }
  local colored = choose(flag)
  local shown = terminal.shown(text, colored)
  check_shown(shown, colored)
  assert(colored or terminal.shown(shown) == shown, "the result is not safe")
  assert(in_pieces(text, choose, colored) == shown, "text in pieces differs")
end
