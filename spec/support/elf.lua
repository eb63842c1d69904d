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

return elf
