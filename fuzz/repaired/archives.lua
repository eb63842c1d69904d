-- Readers of tar archives as trees. The checksums of headers, and the sizes of members, are computed when an archive
-- is written.
-- SPDX-License-Identifier: GPL-3.0-or-later

local nodes = require "fuzz.repaired.nodes"
local profiles = require "fuzz.repaired.profiles"
local tar = require "support.tar"

local archives = {}

local BLOCK <const> = 512

local function padded(text) return text .. ("\0"):rep(-#text % BLOCK) end

-- The fields of a header; `size` and `checksum` are written as nodes.
local fields <const> = { { "name", 100 }, { "mode", 24 }, { "size", 12 }, { "time", 12 }, { "checksum", 8 },
  { "type", 1 }, { "link", 100 }, { "magic", 8 }, { "owner", 80 }, { "prefix", 167 } }

-- Returns a size as in a header: in octal digits, or in binary.
local function size_field(size)
  if size >= 0 and size < 1 << 33 then return ("%011o\0"):format(size) end
  return "\128\0\0\0" .. (">i8"):pack(size)
end

local function entry_bytes(entry)
  local content, parts, at = entry.content:bytes(), {}, nil
  for i, item in ipairs(entry.items) do
    local name = fields[i] and fields[i][1]
    if name == "size" then item = nodes.text_of(name, size_field(entry.lie or #content)) end
    if name == "checksum" then at, item = i, nodes.text_of(name, (" "):rep(8)) end
    parts[i] = name and item:bytes()
  end
  local sum = 0
  for byte in table.concat(parts):gmatch "." do sum = sum + byte:byte() end
  parts[at] = ("%06o\0 "):format(sum)
  return table.concat(parts) .. padded(content)
end

-- Extended headers of pax --------------------------------------------------------------------------------------------

local function pax_bytes(node)
  local bytes = tar.pax { { node.items[1].value, node.items[2].value } }
  return bytes:sub(BLOCK + 1, BLOCK + (tonumber(bytes:match("^%d+", BLOCK + 1))))
end

local function pax_record(bytes, at)
  local length, key = bytes:match("^(%d+) ([^=]*)=", at)
  local first = at + #length + 1 + #key + 1
  return nodes.list_of("pax record", { nodes.text_of("pax key", key), nodes.text_of("pax value",
    bytes:sub(first, at + length - 2)) }, { fixed = true, bytes = pax_bytes }), at + length
end

-- Members -------------------------------------------------------------------------------------------------------------

local setting <const> = nodes.record("setting", nodes.line("setting name", " "), nodes.line("setting value", "\n"))

local key <const> = nodes.record("key", nodes.number("hash", "<I8"), nodes.number("hash", "<I8"),
  nodes.number("row", "<I4"))

-- The contents of a checkpoint's members.
local checkpoint <const> = {
  state = nodes.record("state", nodes.line("head", "\n"), nodes.many("settings", setting)),
  profiles = nodes.many("keys", key), members = nodes.many("keys", key),
}

-- Returns the reader of a member's content.
local function reader_of(name, type, content)
  if type == "x" or type == "g" then return nodes.many("pax records", pax_record) end
  if checkpoint[name] then return checkpoint[name] end
  local magic = content:sub(1, 8)
  return magic == "gprofctx" and profiles.contexts or magic == "gprofspr" and profiles.spread
    or magic:sub(1, 4) == "gmon" and profiles.gmon or nodes.text "content"
end

local function entry(bytes, at)
  local items, start = {}, at
  for i, field in ipairs(fields) do
    items[i] = nodes.text("header " .. field[1], field[2])(bytes, at)
    at = at + field[2]
  end
  assert(at == start + BLOCK)
  local size = tonumber(items[3].value:match "%d+", 8)
  local content = bytes:sub(at, at + size - 1)
  local read = reader_of(items[1].value:match "^[^\0]*", items[6].value, content)
  local node = nodes.list_of("member", items, { fixed = true, derived = true, bytes = entry_bytes })
  node.content = nodes.read(read, content)
  items[#items + 1] = node.content
  return node, at + #padded(content)
end

-- The content of an entry is its last item, so that it is changed like the others.
local function relink(tree)
  nodes.each(tree, function(node)
    if node.content then node.content = node.items[#node.items] end
  end)
end

--- Reads an archive that ends with two empty blocks.
archives.read = nodes.record("archive", nodes.many("members", entry, #tar.END), nodes.text "end")

--- Prepares a changed archive to be written: the stamp in a gmon.out, if it has one, is that of the member NAME.ctx.
-- @tparam table tree
function archives.link(tree)
  relink(tree)
  local by_name = {}
  nodes.each(tree, function(node)
    if node.content then by_name[node.items[1].value:match "^[^\0]*"] = node.content end
  end)
  for name, content in pairs(by_name) do
    local stamp = content.name == "gmon" and nodes.find(content, "stamp of contexts")
    if stamp and stamp.value ~= 0 then profiles.stamp(content, by_name[name .. ".ctx"]) end
  end
end

return archives
