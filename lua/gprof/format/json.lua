--- Writes JSON. Common libraries lack what exports need: numbers that keep their value
-- when they are read, integers of any size among them, and valid UTF-8 for any bytes.
--
-- The `compact` functions write data for a script in an HTML page: without spaces, with
-- rounded numbers, and with strings that cannot end the script.
--
-- @internal gprof.format.json
-- SPDX-License-Identifier: GPL-3.0-or-later

local escape = require "gprof.format.escape"

local json = {}

local short <const> = {
  ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t",
}

local function escaped(byte)
  return short[byte] or ("\\u%04x"):format(byte:byte())
end

--- A string.
-- @tparam string text bytes that are not UTF-8 become \xHH (see gprof.format.escape)
-- @treturn string
function json.string(text)
  return '"' .. escape.utf8(text):gsub('[%c"\\]', escaped) .. '"'
end

--- A number, with the fewest digits that are read as the same number.
-- @tparam number number
-- @treturn string
function json.number(number)
  local whole = math.tointeger(number)
  if whole and (math.type(number) == "integer" or math.abs(whole) < 1 << 53) then
    return ("%d"):format(whole)
  end
  if number ~= number or math.abs(number) == math.huge then return "null" end
  for digits = 15, 17 do
    local text = ("%." .. digits .. "g"):format(number)
    if tonumber(text) == number then return text end
  end
end

local writers <const> = {
  ["nil"] = function() return "null" end,
  boolean = tostring, string = json.string, number = json.number,
}

--- A boolean, string, number, or nil, which is null.
-- @param value
-- @treturn string
function json.value(value)
  return writers[type(value)](value)
end

--- An array of such values.
-- @tparam table array
-- @treturn string in one line
function json.array(array)
  local texts = {}
  for i, value in ipairs(array) do texts[i] = json.value(value) end
  return "[" .. table.concat(texts, ", ") .. "]"
end

--- Makes a writer of objects with the same keys.
-- @tparam {string,...} keys
-- @treturn function takes a value for each key, as of `json.value`, and returns a text of
--   one line
function json.object(keys)
  local before, count = {}, #keys
  for i, key in ipairs(keys) do
    before[i] = (i == 1 and "{" or ", ") .. json.string(key) .. ": "
  end
  return function(...)
    local parts = {}
    for i = 1, count do
      parts[2 * i - 1], parts[2 * i] = before[i], json.value((select(i, ...)))
    end
    parts[2 * count + 1] = "}"
    return table.concat(parts)
  end
end

--- Writes a member of the outermost object, on a line of its own.
-- @tparam stream write
-- @tparam string name
-- @tparam string text of the value
function json.field(write, name, text)
  write(('  "%s": '):format(name) .. text .. ",\n")
end

--- Iterates over the texts of values, for `json.rows`.
-- @tparam table values
-- @tparam function text_of takes a value and returns a text
-- @treturn function iterator
function json.texts(values, text_of)
  local i = 0
  return function()
    i = i + 1
    return values[i] and text_of(values[i])
  end
end

--- Writes an array of objects or arrays, each on a line of its own.
-- @tparam stream write
-- @tparam string indent of the closing bracket
-- @tparam function rows an iterator over texts
function json.rows(write, indent, rows)
  local before = "[\n"
  for text in rows do
    write(before .. indent .. "  " .. text)
    before = ",\n"
  end
  write(before == "[\n" and "[]" or "\n" .. indent .. "]")
end

--- A string for a script: it has no character that could end the script.
-- @tparam string|nil text nil is null
-- @treturn string
function json.compact_string(text)
  return text and (json.string(text):gsub("[<>&]", { ["<"] = "\\u003c",
    [">"] = "\\u003e", ["&"] = "\\u0026" })) or "null"
end

--- A number rounded to seven digits, which is more than a page shows. Integers, and
-- numbers from a million on, keep all digits before the point.
-- @tparam number|nil number nil, infinity and NaN are null
-- @treturn string
function json.compact_number(number)
  local known = number and number == number and math.abs(number) < math.huge
  if not known then return "null" end
  local format = math.tointeger(number) and "%.0f" or math.abs(number) >= 1e6 and "%.1f"
  return (format or "%.7g"):format(number)
end

--- An array.
-- @tparam function text_of takes a value and returns a text
-- @tparam table values
-- @tparam[opt] integer count of the values, if some are nil
-- @treturn string
function json.compact_array(text_of, values, count)
  local texts = {}
  for i = 1, count or #values do texts[i] = text_of(values[i]) end
  return "[" .. table.concat(texts, ",") .. "]"
end

--- An object.
-- @tparam {table,...} entries each a name and the text of its value
-- @treturn string with a line for each entry
function json.compact_object(entries)
  local texts = {}
  for i, entry in ipairs(entries) do
    texts[i] = ('"%s":%s'):format(entry[1], entry[2])
  end
  return "{" .. table.concat(texts, ",\n") .. "}"
end

return json
