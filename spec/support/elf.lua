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

--- Encodes a 64-bit file for x86-64 that has only symbols: its section .text has no contents.
-- @tparam integer address of .text
-- @tparam integer size of .text
-- @tparam {table,...} symbols array of global functions, each with an `address`, and `name`, an offset in `names`
-- @tparam string names the string table
-- @treturn string the bytes of the file
function elf.with_symbols(address, size, symbols, names)
  local HEADER <const>, ENTRY <const> = 64, 24
  local NULL <const>, SYMTAB <const>, STRTAB <const>, NOBITS <const> = 0, 2, 3, 8
  local entries = { ("\0"):rep(ENTRY) }
  for i, symbol in ipairs(symbols) do
    entries[i + 1] = ("<I4BBI2I8I8"):pack(symbol.name, 0x12, 0, 1, symbol.address, 1)  -- in section 1
  end
  local contents = { table.concat(entries), names, "\0.text\0.symtab\0.strtab\0.shstrtab\0" }
  local places, stop = {}, HEADER
  for i, bytes in ipairs(contents) do
    places[i], stop = stop, stop + #bytes
  end
  local function section(name, type, at, length, link, info, entry)
    local flags = type == NOBITS and 6 or 0
    return ("<I4I4I8I8I8I8I4I4I8I8"):pack(name, type, flags, type == NOBITS and address or 0, at, length, link, info, 1,
      entry)
  end
  return table.concat {
    "\x7fELF\2\1\1" .. ("\0"):rep(9),
    ("<I2I2I4I8I8I8I4I2I2I2I2I2I2"):pack(2, 62, 1, 0, 0, stop, 0, HEADER, 0, 0, 64, 5, 4),
    table.concat(contents),
    section(0, NULL, 0, 0, 0, 0, 0), section(1, NOBITS, HEADER, size, 0, 0, 0),
    section(7, SYMTAB, places[1], #contents[1], 3, 1, ENTRY), section(15, STRTAB, places[2], #names, 0, 0, 0),
    section(23, STRTAB, places[3], #contents[3], 0, 0, 0),
  }
end

return elf
