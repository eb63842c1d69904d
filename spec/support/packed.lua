-- Reads the packed columns of a page (csrc/base/packed_numbers.h).
-- SPDX-License-Identifier: GPL-3.0-or-later

local dkjson = require "dkjson"

local packed = {}

local DIGITS <const> = " !#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"
local BASE <const> = #DIGITS // 2

--- Returns the numbers in a text.
-- @tparam string text
-- @treturn {number,...} with `dkjson.null` for missing numbers
function packed.numbers(text)
  local numbers, at, last, kind = {}, 2, 0, text:sub(1, 1)
  local function digit()
    at = at + 1
    return DIGITS:find(text:sub(at - 1, at - 1), 1, true) - 1
  end
  local function natural()
    local sum, unit, next = 0, 1, digit()
    while next >= BASE do
      sum, unit, next = sum + (next - BASE) * unit, unit * BASE, digit()
    end
    return sum + next * unit
  end
  local function decimal()
    local first = digit()
    if first < 2 then return first == 0 and 0 or dkjson.null end
    local number = tonumber(("%de-%d"):format(natural(), (first - 2) // 2))
    return first % 2 == 0 and number or -number
  end
  while at <= #text do
    if kind == "f" then
      numbers[#numbers + 1] = decimal()
    else
      local number = natural()
      number = number % 2 == 0 and number // 2 or -(number + 1) // 2
      last = kind == "d" and last + number or number
      numbers[#numbers + 1] = last
    end
  end
  return numbers
end

--- Reads all columns in decoded JSON.
-- @param value
-- @return the value, or its numbers
function packed.read(value)
  if type(value) ~= "table" or value == dkjson.null then return value end
  if type(value.packed) == "string" then return packed.numbers(value.packed) end
  for key, part in pairs(value) do value[key] = packed.read(part) end
  return value
end

return packed
