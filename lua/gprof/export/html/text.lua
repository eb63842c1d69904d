--- Text in a page: what nobody could see is made visible, and what would be taken for
-- markup, or for the end of a script, is escaped.
--
-- @internal gprof.export.html.text
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = require "gprof.format.escape"
local json = require "gprof.format.json"

local text = {}

local entities <const> = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
  ['"'] = "&quot;", ["'"] = "&#39;" }

local function escape_invisible(bytes)
  local code = utf8.codepoint(bytes)
  return escape.is_invisible(code) and ("\\u{%X}"):format(code) or nil
end

--- Makes a text visible: bytes that are no UTF-8, and control characters, stand as \xHH,
-- and characters that change the order of others as \u{HHHH}.
-- @tparam string given
-- @tparam[opt="%c"] string controls set of those that are escaped, as in a pattern
-- @treturn string
function text.shown(given, controls)
  local visible = escape.bytes(given, "[" .. (controls or "%c") .. "]")
  if not visible:find "[\xC2\xD8\xE2\xEF]" then return visible end
  return (visible:gsub("[\xC2-\xF4][\x80-\xBF]+", escape_invisible))
end

--- Text for HTML: between tags, or as the value of an attribute.
-- @tparam string given
-- @treturn string
function text.html(given)
  return (text.shown(given):gsub("[&<>\"']", entities))
end

--- A string in JSON that may stand in a script: nothing in it ends that.
-- @tparam string|nil given what is visible already; nil is null
-- @treturn string
function text.quoted(given)
  return given and (json.string(given):gsub("[<>&]", { ["<"] = "\\u003c",
    [">"] = "\\u003e", ["&"] = "\\u0026" })) or "null"
end

--- A number in JSON, by seven digits, which is more than anybody sees; whole ones and
-- large ones have all before the point.
-- @tparam number|nil number nil is null
-- @treturn string
function text.number(number)
  local known = number and number == number and math.abs(number) < math.huge
  if not known then return "null" end
  local format = math.tointeger(number) and "%.0f" or math.abs(number) >= 1e6 and "%.1f"
  return (format or "%.7g"):format(number)
end

--- An array in JSON of whatever a function makes of values.
-- @tparam function write takes a value and returns a text
-- @tparam table values
-- @tparam[opt] integer count of them, where some are nil
-- @treturn string
function text.array(write, values, count)
  local parts = {}
  for i = 1, count or #values do parts[i] = write(values[i]) end
  return "[" .. table.concat(parts, ",") .. "]"
end

--- An object in JSON.
-- @tparam {table,...} entries each a name and the text of its value
-- @treturn string
function text.object(entries)
  local parts = {}
  for i, pair in ipairs(entries) do
    parts[i] = ('"%s":%s'):format(pair[1], pair[2])
  end
  return "{" .. table.concat(parts, ",\n") .. "}"
end

return text
