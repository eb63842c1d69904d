--- Escapes bytes that a format cannot represent, as \xHH: different names stay different.
-- Also knows the invisible characters that change how text is displayed.
--
-- @internal gprof.format.escape
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = {}

local function hexadecimal(byte)
  return ("\\x%02X"):format(byte:byte())
end

--- Writes bytes in hexadecimal.
-- @tparam string bytes
-- @treturn string two digits for each byte
function escape.in_hexadecimal(bytes)
  return (bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

--- Escapes bytes that are not valid UTF-8.
-- @tparam string text
-- @treturn string
function escape.utf8(text)
  if utf8.len(text) then return text end
  local parts, from = {}, 1
  while true do
    local _, bad = utf8.len(text, from)
    if not bad then break end
    parts[#parts + 1] = text:sub(from, bad - 1) .. hexadecimal(text:sub(bad, bad))
    from = bad + 1
  end
  return table.concat(parts) .. text:sub(from)
end

--- Escapes the bytes of a set, and bytes that are not valid UTF-8.
-- @tparam string text
-- @tparam string set Lua pattern of a set of bytes, such as "[%c;]"
-- @treturn string
function escape.bytes(text, set)
  return (escape.utf8(text):gsub(set, hexadecimal))
end

--- Escapes U+FFFE and U+FFFF, which XML cannot contain, as \u{HHHH}.
-- @tparam string text UTF-8 without control characters
-- @treturn string
function escape.xml(text)
  if not text:find("\xEF\xBF", 1, true) then return text end
  return (text:gsub("\xEF\xBF[\xBE\xBF]", function(character)
    return ("\\u{%X}"):format(utf8.codepoint(character))
  end))
end

local breaks <const> = { ["\n"] = "\\n", ["\r"] = "\\r" }

local function visible(control)
  return breaks[control] or ("\\x%02x"):format(control:byte())
end

--- Makes one line of a message for logs. Names in it come from untrusted files, and some
-- logs are read by programs: GitHub and Azure obey `##[COMMAND]` and `##vso[COMMAND]`
-- anywhere in a line, and `::COMMAND::` at its beginning. So control characters are
-- escaped, except tabs, and the second "#" of such a command.
-- @tparam string text
-- @treturn string without line breaks
function escape.line(text)
  text = text:gsub("[\0-\8\10-\31\127]", visible)
  return (text:gsub("##(%a*%[)", "#\\x23%1"))
end

-- Ranges of characters that cannot be seen, but change how the text around them is
-- displayed: C1 controls, directional marks (U+061C, U+200E and U+200F), line and
-- paragraph separators, embeddings and overrides (U+2028 to U+202E), isolates (U+2066 to
-- U+2069), and the byte order mark.
local invisible <const> = {}
for _, range in ipairs {
  { 0x80, 0x9F }, { 0x61C, 0x61C }, { 0x200E, 0x200F }, { 0x2028, 0x202E },
  { 0x2066, 0x2069 }, { 0xFEFF, 0xFEFF },
} do
  for code = range[1], range[2] do invisible[code] = true end
end

--- Returns whether a character is invisible but changes how other text is displayed.
-- Control characters of ASCII are not included.
-- @tparam integer code point
-- @treturn boolean
function escape.is_invisible(code)
  return invisible[code] == true
end

return escape
