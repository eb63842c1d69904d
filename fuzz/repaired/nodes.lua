-- Files as trees of nodes, which can be changed and written again. Lengths, counts and checksums are computed when a
-- tree is written, so a change reaches the code after the checks of these.
--
-- A node has a `class`: "number", with `value`; "text", with `value`; or "list", with `items`. The items of a list
-- can be removed, repeated and moved, unless it is `fixed`. `name` says what a node is; nodes of one name can take
-- each other's places. A node that is written with a number that follows from its contents is `derived`; its field
-- `lie`, if it is set, is written in place of the right number.
--
-- A reader is a function (bytes, at, stop) that returns the node at position `at`, and the position after the node.
-- The node ends before `stop`.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local entries = require "support.entries"

local nodes = {}

-- Writing -------------------------------------------------------------------------------------------------------------

-- Packs a number; bits that do not fit are cut off.
local function pack(format, value)
  local size = string.packsize(format)
  return format:gsub("I8", "i8"):pack(size == 8 and value or value & (1 << 8 * size) - 1)
end

--- Returns the bytes of a node.
function nodes.write(node)
  return node:bytes()
end

local function value_of(node) return node.value end

local function items_of(node)
  local parts = {}
  for i, item in ipairs(node.items) do parts[i] = item:bytes() end
  return table.concat(parts, node.separator)
end

--- Returns the bytes of a list's items.
nodes.items = items_of

-- Numbers -------------------------------------------------------------------------------------------------------------

local function number_bytes(node) return pack(node.format, node.value) end

--- Returns a reader of a number.
-- @tparam string name
-- @tparam string format of string.pack
function nodes.number(name, format)
  return function(bytes, at)
    local value, after = format:unpack(bytes, at)
    return { class = "number", name = name, format = format, value = value, bytes = number_bytes }, after
  end
end

local function uleb_bytes(node) return entries.uleb(node.value) end

--- Returns a reader of a ULEB128 number.
-- @tparam string name
function nodes.uleb(name)
  return function(bytes, at)
    local value, shift, byte = 0, 0
    repeat
      byte = bytes:byte(at)
      value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
    until byte < 128
    return { class = "number", name = name, value = value, bytes = uleb_bytes }, at
  end
end

-- Texts ---------------------------------------------------------------------------------------------------------------

--- Makes a text.
-- @tparam string name
-- @tparam string value
-- @treturn table node
function nodes.text_of(name, value)
  return { class = "text", name = name, value = value, bytes = value_of }
end

local function padded(node)
  return node.value:sub(1, node.size) .. ("\0"):rep(node.size - #node.value)
end

--- Returns a reader of bytes: a field of fixed size, padded with zeros, or all bytes until the end.
-- @tparam string name
-- @tparam[opt] integer size
function nodes.text(name, size)
  return function(bytes, at, stop)
    local after = size and at + size or stop
    local node = nodes.text_of(name, bytes:sub(at, after - 1))
    if size then node.size, node.bytes = size, padded end
    return node, after
  end
end

local function terminated(node) return node.value .. node.terminator end

--- Returns a reader of a text that ends with a byte.
-- @tparam string name
-- @tparam[opt="\0"] string terminator
function nodes.line(name, terminator)
  terminator = terminator or "\0"
  return function(bytes, at, stop)
    local found = bytes:find(terminator, at, true)
    if not found or found >= stop then return nodes.text(name)(bytes, at, stop) end
    local node = nodes.text_of(name, bytes:sub(at, found - 1))
    node.terminator, node.bytes = terminator, terminated
    return node, found + 1
  end
end

-- Lists ---------------------------------------------------------------------------------------------------------------

--- Makes a list.
-- @tparam string name
-- @tparam {table,...} items
-- @tparam[opt] table fields of the node
-- @treturn table node
function nodes.list_of(name, items, fields)
  local node = { class = "list", name = name, items = items, bytes = items_of }
  for field, value in pairs(fields or {}) do node[field] = value end
  return node
end

--- Returns a reader of fields, one after the other.
-- @tparam string name
-- @tparam function ... readers
function nodes.record(name, ...)
  local readers = { ... }
  return function(bytes, at, stop)
    local items = {}
    for i, read in ipairs(readers) do items[i], at = read(bytes, at, stop) end
    return nodes.list_of(name, items, { fixed = true }), at
  end
end

--- Returns a reader of nodes until the end.
-- @tparam string name
-- @tparam function read reads an item
-- @tparam[opt] integer rest number of bytes before the end that do not belong to the list
function nodes.many(name, read, rest)
  return function(bytes, at, stop)
    local items = {}
    stop = stop - (rest or 0)
    while at < stop do items[#items + 1], at = read(bytes, at, stop) end
    return nodes.list_of(name, items), at
  end
end

local function with_count(node) return pack(node.format, node.lie or #node.items) .. items_of(node) end

--- Returns a reader of a number, and as many items.
-- @tparam string name
-- @tparam string format of the number
-- @tparam function read reads an item
function nodes.counted(name, format, read)
  return function(bytes, at, stop)
    local items, count = {}
    count, at = format:unpack(bytes, at)
    for i = 1, count do items[i], at = read(bytes, at, stop) end
    return nodes.list_of(name, items, { derived = true, format = format, bytes = with_count }), at
  end
end

local function with_size(node)
  local content = items_of(node)
  return pack(node.format, node.lie or #content) .. content
end

--- Returns a reader of a number, and a node of as many bytes.
-- @tparam string name
-- @tparam string format of the number
-- @tparam function read reads the node
function nodes.sized(name, format, read)
  return function(bytes, at)
    local size, item
    size, at = format:unpack(bytes, at)
    item = read(bytes, at, at + size)
    return nodes.list_of(name, { item }, { fixed = true, derived = true, format = format, bytes = with_size }),
      at + size
  end
end

local function with_sum(node)
  local content = items_of(node)
  return content .. ("<I4"):pack((node.lie or contexts.crc32(content)) & 0xffffffff)
end

--- Returns a reader of a node, and the checksum (CRC-32) of its bytes.
-- @tparam string name
-- @tparam function read reads the node
function nodes.summed(name, read)
  return function(bytes, at, stop)
    local item = read(bytes, at, stop - 4)
    return nodes.list_of(name, { item }, { fixed = true, derived = true, bytes = with_sum }), stop
  end
end

--- Returns a reader that chooses another.
-- @tparam function choose takes what a reader takes, and returns a reader
function nodes.choice(choose)
  return function(bytes, at, stop) return choose(bytes, at, stop)(bytes, at, stop) end
end

-- Trees ---------------------------------------------------------------------------------------------------------------

--- Reads a file.
-- @tparam function read reads the root
-- @tparam string bytes
-- @treturn table node
function nodes.read(read, bytes)
  return (read(bytes, 1, #bytes + 1))
end

--- Visits a node and all nodes below it.
-- @tparam table node
-- @tparam function visit takes a node, the list with the node, and its place there
function nodes.each(node, visit)
  visit(node)
  local function below(list)
    for i, item in ipairs(list.items or {}) do
      visit(item, list, i)
      below(item)
    end
  end
  below(node)
end

--- Returns the first node with a name.
-- @tparam table node where to begin
-- @tparam string name
-- @treturn table|nil node
function nodes.find(node, name)
  local found
  nodes.each(node, function(one) found = found or one.name == name and one or nil end)
  return found
end

--- Returns a copy of a node and all nodes below it.
-- @tparam table node
-- @treturn table node
function nodes.copy(node)
  local copy = {}
  for field, value in pairs(node) do copy[field] = value end
  if node.items then
    copy.items = {}
    for i, item in ipairs(node.items) do copy.items[i] = nodes.copy(item) end
  end
  return copy
end

return nodes
