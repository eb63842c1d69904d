--- Encodes messages as protocol buffers (protobuf.dev/programming-guides/encoding).
--
-- A field is a tag, made of its number and its wire type, and a value. The value is a
-- varint, seven bits per byte, the least significant first; or a length and that many
-- bytes. Numbers that are 0 are left out.
--
-- @internal gprof.format.protobuf
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local protobuf = {}

-- Wire types VARINT and LEN.
local NUMBER <const>, BYTES <const> = 0, 2

-- Numbers below `FREQUENT` are mostly those of functions, and occur many times.
local FREQUENT <const> = 1 << 20
local known = {}

local function varint(number)
  local bytes = known[number]
  if bytes then return bytes end
  bytes = core.varints { number }
  if number >= 0 and number < FREQUENT then known[number] = bytes end
  return bytes
end

--- Encodes a field that is a number.
-- @tparam integer field
-- @tparam integer|boolean value
-- @treturn string
function protobuf.number(field, value)
  if value == true then value = 1 end
  if not value or value == 0 then return "" end
  return varint(field << 3 | NUMBER) .. varint(value)
end

--- Encodes a field that is a string, or an encoded message.
-- @tparam integer field
-- @tparam string value
-- @treturn string
function protobuf.bytes(field, value)
  return varint(field << 3 | BYTES) .. varint(#value) .. value
end

--- Encodes a packed field: several numbers.
-- @tparam integer field
-- @tparam {integer,...} values
-- @treturn string
function protobuf.numbers(field, values)
  return protobuf.bytes(field, core.varints(values))
end

return protobuf
