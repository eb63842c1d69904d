--- What a format cannot hold, in names: such a byte stands as \xHH there, two digits of
-- its number in base 16. So names that differ go on to differ, and can be read.
--
-- @internal gprof.format.escape
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = {}

local function hexadecimal(byte)
  return ("\\x%02X"):format(byte:byte())
end

--- Escapes bytes that are none of a text in UTF-8.
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

--- Escapes these bytes, and those that are none of a text in UTF-8.
-- @tparam string text
-- @tparam string set of bytes, as in a pattern: "[%c;]"
-- @treturn string
function escape.bytes(text, set)
  return (escape.utf8(text):gsub(set, hexadecimal))
end

return escape
