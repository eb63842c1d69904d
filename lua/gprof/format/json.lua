--- Writes JSON. Common libraries do not give what exports need: all numbers, including
-- 64-bit integers, must read back unchanged, and bytes that are not UTF-8 must be
-- escaped.
--
-- The `compact` functions write data for a script in an HTML page: without spaces, with
-- rounded numbers, and with strings that cannot end the script.
--
-- @internal gprof.format.json
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local escape = require "gprof.format.escape"
local sorted = require "gprof.format.sorted"

local json = {}

local short <const> = {
  ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
}

local function escaped(byte)
  return short[byte] or ("\\u%04x"):format(byte:byte())
end

--- Formats a string.
-- @tparam string text bytes that are not UTF-8 become \xHH (see gprof.format.escape)
-- @treturn string
function json.string(text)
  if not text:find '[^ !#-[%]^-~]' then return '"' .. text .. '"' end
  return '"' .. escape.utf8(text):gsub('[%c"\\]', escaped) .. '"'
end

--- Formats a number with the fewest digits, 15 to 17, that read back as the same number.
-- Infinity and NaN become null.
-- @function json.number
-- @tparam number number
-- @treturn string
json.number = core.exact_number

local writers <const> = {
  ["nil"] = function() return "null" end,
  boolean = tostring, string = json.string, number = json.number,
}

--- Formats a boolean, string, number or nil (null).
-- @param value
-- @treturn string
function json.value(value)
  return writers[type(value)](value)
end

--- Formats an array of values that `json.value` accepts.
-- @tparam table array
-- @treturn string on one line
function json.array(array)
  return "[" .. core.json_array(array, json.value) .. "]"
end

--- Formats a table of arrays as an object. Keys are sorted.
-- @tparam {[string]=table} arrays
-- @treturn string on one line
function json.arrays(arrays)
  local texts = {}
  for i, name in ipairs(sorted.keys(arrays)) do
    texts[i] = json.string(name) .. ": " .. json.array(arrays[name])
  end
  return "{" .. table.concat(texts, ", ") .. "}"
end

--- Makes a function that formats objects with the same keys.
-- @tparam {string,...} keys
-- @treturn function takes a value for each key, of any type that `json.value` accepts,
--   and returns the object on one line; further values are left out
function json.object(keys)
  local before = {}
  for i, key in ipairs(keys) do
    before[i] = (i == 1 and "{" or ", ") .. json.string(key) .. ": "
  end
  return function(...)
    return core.json_fields(before, json.value, ...) .. "}"
  end
end

--- Writes a member of the outermost object, on a line of its own.
-- @tparam stream write
-- @tparam string name
-- @tparam string text the formatted value
function json.field(write, name, text)
  write(('  "%s": '):format(name) .. text .. ",\n")
end

--- Iterates over formatted values, for `json.rows`.
-- @tparam table values
-- @tparam function text_of formats a value
-- @treturn function iterator over strings
function json.texts(values, text_of)
  local i = 0
  return function()
    i = i + 1
    return values[i] and text_of(values[i])
  end
end

--- Writes an array of objects or arrays, each on a line of its own.
-- @tparam stream write
-- @tparam string indent indentation of the closing bracket
-- @tparam function rows iterator over formatted elements
function json.rows(write, indent, rows)
  local before = "[\n"
  for text in rows do
    write(before .. indent .. "  " .. text)
    before = ",\n"
  end
  write(before == "[\n" and "[]" or "\n" .. indent .. "]")
end

--- Formats a string for a script, such that it cannot end the script element.
-- @tparam string|nil text nil becomes null
-- @treturn string
function json.compact_string(text)
  if text and not text:find '[^ -~]' and not text:find '["\\<>&]' then
    return '"' .. text .. '"'
  end
  return text and (json.string(text):gsub("[<>&]", { ["<"] = "\\u003c",
    [">"] = "\\u003e", ["&"] = "\\u0026" })) or "null"
end

--- Formats a number, rounded to seven digits, which is more than a page shows. Integers,
-- and numbers from a million on, keep all digits before the decimal point.
-- @function json.compact_number
-- @tparam number|nil number nil, infinity and NaN become null
-- @treturn string
json.compact_number = core.json_number

--- Formats an array.
-- @tparam function text_of formats a value
-- @tparam table values
-- @tparam[opt] integer count number of values, if some are nil
-- @treturn string
function json.compact_array(text_of, values, count)
  count = count or #values
  if text_of == json.compact_number then return core.json_numbers(values, count) end
  local texts = {}
  for i = 1, count do texts[i] = text_of(values[i]) end
  return "[" .. table.concat(texts, ",") .. "]"
end

--- Formats an array of strings, or of strings and numbers.
-- @tparam function text_of formats a string, as `json.compact_string` does; not called
--   for strings without characters that need an escape
-- @tparam {string|number,...} strings
-- @tparam[opt] integer count number of strings, if some are nil
-- @treturn string
function json.compact_strings(text_of, strings, count)
  return core.json_strings(strings, text_of, count or #strings)
end

-- Columns of at least this many numbers are packed.
local LONG <const> = 1000

--- Formats a column like `json.compact_array`. A long one of numbers is an object with
-- the field `packed`: text that is half as long (see csrc/base/packed_numbers.h).
-- @tparam function text_of formats a value
-- @tparam table values
-- @tparam[opt] integer count number of values, if some are nil
-- @treturn string
function json.column(text_of, values, count)
  count = count or #values
  local packed = count >= LONG and text_of == json.compact_number and
    core.packed_numbers(values, count)
  return packed and '{"packed":"' .. packed .. '"}' or
    json.compact_array(text_of, values, count)
end

--- Writes an object, entry by entry.
-- @tparam {table,...} entries pairs of a name and a formatted value
-- @tparam stream write gets one line for each entry, in parts
-- @treturn integer bytes written
function json.write_compact_object(entries, write)
  local size, before = 0, ""
  local function put(text)
    write(text)
    size = size + #text
  end
  put "{"
  for _, entry in ipairs(entries) do
    put(('%s"%s":'):format(before, entry[1]))
    put(entry[2])
    before = ",\n"
  end
  put "}"
  return size
end

--- Formats an object as `json.write_compact_object` does.
-- @tparam {table,...} entries
-- @treturn string
function json.compact_object(entries)
  local parts = {}
  json.write_compact_object(entries, function(text) parts[#parts + 1] = text end)
  return table.concat(parts)
end

return json
