--- Writes JSON: values of Lua as they are, with all digits.
--
-- What the libraries for it do not offer: numbers that are read as what they were, whole
-- ones of any size among them, and text in UTF-8 whatever bytes there are.
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

--- A number, by the fewest digits that are read as just that.
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

--- A value that is no table.
-- @param value nil is null
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

--- Makes what writes objects with the same keys.
-- @tparam {string,...} keys
-- @treturn function takes as many values that are no tables, and returns a text
--   of one line
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

--- Writes an array of objects or arrays, a line for each.
-- @tparam stream write
-- @tparam string indent what stands before "]"
-- @tparam function rows an iterator over texts
function json.rows(write, indent, rows)
  local before = "[\n"
  for text in rows do
    write(before .. indent .. "  " .. text)
    before = ",\n"
  end
  write(before == "[\n" and "[]" or "\n" .. indent .. "]")
end

return json
