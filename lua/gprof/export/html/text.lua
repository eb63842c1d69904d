--- Text in a page. Invisible characters become visible, and those that would be taken for
-- markup are escaped.
--
-- @internal gprof.export.html.text
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = require "gprof.format.escape"

local text = {}

local entities <const> = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
  ['"'] = "&quot;", ["'"] = "&#39;" }

local function escape_invisible(bytes)
  local code = utf8.codepoint(bytes)
  return escape.is_invisible(code) and ("\\u{%X}"):format(code) or nil
end

--- Makes a text visible: bytes that are not UTF-8, and control characters, become \xHH;
-- invisible characters (see gprof.format.escape) become \u{HHHH}.
-- @tparam string given
-- @tparam[opt="%c"] string controls the control characters to escape, as in a pattern
-- @treturn string
function text.shown(given, controls)
  local visible = escape.bytes(given, "[" .. (controls or "%c") .. "]")
  if not visible:find "[\xC2\xD8\xE2\xEF]" then return visible end
  return (visible:gsub("[\xC2-\xF4][\x80-\xBF]+", escape_invisible))
end

--- Escapes a text for HTML, as content or as the value of an attribute.
-- @tparam string given
-- @treturn string
function text.html(given)
  return (text.shown(given):gsub("[&<>\"']", entities))
end

return text
