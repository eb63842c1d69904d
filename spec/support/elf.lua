-- Reads from an image what nm does not tell: which symbols are typed as functions, and whose file a local one is of.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local elf = {}

local function readelf(...)
  return shell.check({ "readelf", "--wide", ... }, { env = { LC_ALL = "C" } }).stdout
end

-- Numbers of the sections that hold code.
local function code_sections(image)
  local found = {}
  for number, flags in readelf("--sections", image):gmatch "\n  %[ *(%d+)%][^\n]* %x+ %x+ %x+ +(%a*) +%d+ +%d+ +%d+" do
    found[number] = flags:find("X", 1, true) ~= nil
  end
  return found
end

--- Reads the symbols that are typed as functions, indirect ones too, and lie in code.
-- @tparam string image path
-- @treturn {table,...} array in the table's own order of `{ name =, address =, size =, global =, indirect =, file = }`,
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

--- Reads where the bytes of a section are in the file.
-- @tparam string image path
-- @tparam string name
-- @treturn integer offset of the first
-- @treturn integer how many
function elf.place(image, name)
  for found, offset, size in readelf("--sections", image):gmatch "\n  %[ *%d+%] (%S+) +%S+ +%x+ (%x+) (%x+)" do
    if found == name then
      return tonumber(offset, 16), tonumber(size, 16)
    end
  end
  error(("%s has no section '%s'"):format(image, name), 2)
end

--- Cuts a section of a 64-bit little-endian image short, or makes it long.
-- @tparam string bytes of the image
-- @tparam string name of the section
-- @tparam integer size the new one
-- @treturn string bytes
function elf.resize(bytes, name, size)
  local headers, count, names = ("<I8"):unpack(bytes, 0x29), ("<I2I2"):unpack(bytes, 0x3d)
  names = ("<I8"):unpack(bytes, headers + names * 64 + 0x19)
  for i = 0, count - 1 do
    local at = headers + i * 64 + 1
    if ("z"):unpack(bytes, names + ("<I4"):unpack(bytes, at) + 1) == name then
      return bytes:sub(1, at + 0x1f) .. ("<I8"):pack(size) .. bytes:sub(at + 0x28)
    end
  end
  error(("no section '%s'"):format(name), 2)
end

return elf
