-- Reads properties of ELF images that nm does not print: types of symbols, and the files of local ones. Edits headers.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local elf = {}

local function readelf(...)
  return shell.check({ "readelf", "--wide", ... }, { env = { LC_ALL = "C" } }).stdout
end

-- Returns a table from section number to whether the section has code.
local function code_sections(image)
  local found = {}
  for number, flags in readelf("--sections", image):gmatch "\n  %[ *(%d+)%][^\n]* %x+ %x+ %x+ +(%a*) +%d+ +%d+ +%d+" do
    found[number] = flags:find("X", 1, true) ~= nil
  end
  return found
end

--- Reads the function symbols in code sections, including indirect functions (IFUNC).
-- @tparam string image path
-- @treturn {table,...} array, in symbol table order, of `{ name =, address =, size =, global =, indirect =, file = }`,
--   `file` for local ones only
function elf.functions(image)
  local found, code, file = {}, code_sections(image), nil
  for address, size, type, bind, section, name in readelf("--symbols", image):match "'%.symtab'.*"
    :gmatch "\n *%d+: (%x+) +(%w+) (%u+) +(%u+) +%u+ +(%w+) ?([^\n]*)" do
    if type == "FILE" then
      file = name
    elseif (type == "FUNC" or type == "IFUNC") and code[section] then
      local global = bind ~= "LOCAL"
      found[#found + 1] = { name = name, address = tonumber(address, 16), size = tonumber(size),
        global = global, indirect = type == "IFUNC", file = not global and file or nil }
    end
  end
  return found
end

--- Reads the position of a section in the file.
-- @tparam string image path
-- @tparam string name
-- @treturn integer offset in bytes
-- @treturn integer size in bytes
function elf.place(image, name)
  for found, offset, size in readelf("--sections", image):gmatch "\n  %[ *%d+%] (%S+) +%S+ +%x+ (%x+) (%x+)" do
    if found == name then
      return tonumber(offset, 16), tonumber(size, 16)
    end
  end
  error(("%s has no section '%s'"):format(image, name), 2)
end

-- Reads the section headers of a 64-bit little-endian image. Returns their positions, counted from 1, and their
-- indexes, both keyed by name.
local function headers(bytes)
  local first, count, names = ("<I8"):unpack(bytes, 0x29), ("<I2I2"):unpack(bytes, 0x3d)
  names = ("<I8"):unpack(bytes, first + names * 64 + 0x19)
  local positions, numbers = {}, {}
  for i = 0, count - 1 do
    local at = first + i * 64 + 1
    local name = ("z"):unpack(bytes, names + ("<I4"):unpack(bytes, at) + 1)
    positions[name], numbers[name] = at, i
  end
  return positions, numbers
end

-- Offsets and formats of the fields that can be changed.
local FIELDS <const> = { type = { 4, "<I4" }, offset = { 0x18, "<I8" }, size = { 0x20, "<I8" },
  link = { 0x28, "<I4" }, entry = { 0x38, "<I8" } }

--- Changes the header of a section of a 64-bit little-endian image.
-- @tparam string bytes of the image
-- @tparam string name of the section
-- @tparam table fields numbers `type`, `offset`, `size` and `entry` (the size of an entry); `link`, the name of another
--   section
-- @treturn string bytes
function elf.patch(bytes, name, fields)
  local positions, numbers = headers(bytes)
  local at = positions[name] or error(("no section '%s'"):format(name), 2)
  for field, value in pairs(fields) do
    local offset, format = table.unpack(FIELDS[field])
    local packed = format:pack(numbers[value] or value)
    bytes = bytes:sub(1, at + offset - 1) .. packed .. bytes:sub(at + offset + #packed)
  end
  return bytes
end

return elf
