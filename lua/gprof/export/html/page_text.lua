--- Makes untrusted text safe and visible in a page: escapes markup, control characters
-- and invisible characters.
--
-- @internal gprof.export.html.page_text
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = require "gprof.format.escape"
local json = require "gprof.format.json"

local text = {}

local entities <const> = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
  ['"'] = "&quot;", ["'"] = "&#39;" }

local function escape_invisible(character)
  local code = utf8.codepoint(character)
  return escape.is_invisible(code) and ("\\u{%X}"):format(code) or nil
end

--- Makes a string visible: invalid UTF-8 and control characters become \xHH; invisible
-- characters (see gprof.format.escape) become \u{HHHH}.
-- @tparam string bytes
-- @tparam[opt="%c"] string controls characters to escape, as in a set of a Lua pattern
-- @treturn string
function text.shown(bytes, controls)
  if not bytes:find "[^ -~]" then return bytes end
  local visible = escape.bytes(bytes, "[" .. (controls or "%c") .. "]")
  if not visible:find "[\xC2\xD8\xE2\xEF]" then return visible end
  return (visible:gsub("[\xC2-\xF4][\x80-\xBF]+", escape_invisible))
end

--- Makes a string visible, and formats it for a script.
-- @tparam string|nil bytes
-- @treturn string JSON; null for nil
function text.quoted(bytes)
  return json.compact_string(bytes and text.shown(bytes))
end

--- Makes strings visible, and formats them for a script.
-- @tparam {string|number,...} strings numbers are formatted as they are
-- @tparam[opt] integer count number of strings, if some are nil
-- @treturn string an array of JSON
function text.array(strings, count)
  return json.compact_strings(text.quoted, strings, count)
end

--- Escapes a string for HTML, as content or as the value of an attribute.
-- @tparam string bytes
-- @treturn string
function text.html(bytes)
  if not bytes:find "[^ !#-%(-;=?-~]" then return bytes end
  return (text.shown(bytes):gsub("[&<>\"']", entities))
end

return text
