-- Decodes protocol buffers: varints and length-delimited fields.
-- SPDX-License-Identifier: GPL-3.0-or-later

local protobuf = {}

-- Reads a varint; returns it and the position after it.
local function varint(text, at)
  local value, shift = 0, 0
  repeat
    local byte = assert(text:byte(at), "cut off")
    value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
  until byte < 128
  return value, at
end

--- Decodes a message.
-- @tparam string text
-- @treturn {table,...} by field number: the values in order, integers or strings
function protobuf.message(text)
  local fields, at = setmetatable({}, { __index = function() return {} end }), 1
  while at <= #text do
    local key, value
    key, at = varint(text, at)
    value, at = varint(text, at)
    if key & 7 == 2 then
      assert(at + value <= #text + 1, "cut off")
      value, at = text:sub(at, at + value - 1), at + value
    else
      assert(key & 7 == 0, "unexpected wire type")
    end
    local list = rawget(fields, key >> 3) or {}
    list[#list + 1], fields[key >> 3] = value, list
  end
  return fields
end

--- Decodes a packed field of varints.
-- @tparam string text
-- @treturn {integer,...}
function protobuf.numbers(text)
  local list, at = {}, 1
  while at <= #text do list[#list + 1], at = varint(text, at) end
  return list
end

return protobuf
