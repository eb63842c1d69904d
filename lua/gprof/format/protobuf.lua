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

--- Encodes fields.
-- @function protobuf.fields
-- @tparam integer ... the number of each field, followed by its value: an integer or a
--   boolean; a string, which may be an encoded message; an array of integers, which
--   become a packed field; or nil, which leaves the field out
-- @treturn string
protobuf.fields = core.protobuf_fields

--- Encodes a field that is a message.
-- @function protobuf.message
-- @tparam integer field
-- @tparam integer ... the fields of the message, as for `protobuf.fields`
-- @treturn string
protobuf.message = core.protobuf_message

return protobuf
