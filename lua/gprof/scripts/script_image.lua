--- Writes an executable that stands for the functions of a Lua program: an ELF file with
-- symbols and lines, but no code. All reports read it like any other executable.
--
-- Every recorded line of a function has addresses of its own, and so do the C functions.
--
-- @internal gprof.scripts.script_image
-- SPDX-License-Identifier: GPL-3.0-or-later

local script_functions = require "gprof.scripts.script_functions"

local script_image = {}

local LINE <const>, LOW <const> = script_functions.LINE, script_functions.LOW
local SECTION <const> = "<I4I4I8I8I8I8I4I4I8I8"
local EXECUTABLE <const>, X86_64 <const> = 2, 62
local HEADER <const>, SEGMENT <const>, ENTRY <const> = 64, 56, 64 -- sizes in bytes
local PROGBITS <const>, SYMTAB <const>, STRTAB <const> = 1, 2, 3
local NOBITS <const> = 8
local GLOBAL_FUNCTION <const> = 1 << 4 | 2

local function uleb(number)
  local bytes = {}
  repeat
    local rest = number >> 7
    bytes[#bytes + 1] = string.char(number & 0x7f | (rest > 0 and 0x80 or 0))
    number = rest
  until number == 0
  return table.concat(bytes)
end

local function sleb(number)
  local bytes = {}
  while number >= 0x40 or number < -0x40 do
    bytes[#bytes + 1] = string.char(number & 0x7f | 0x80)
    number = number // 128
  end
  return table.concat(bytes) .. string.char(number & 0x7f)
end

-- Symbols
-- ---------------------------------------------------------------------------------

-- Returns the contents of .symtab and .strtab, and the size of all functions.
local function symbols_of(functions)
  local symbols, names, at, low = { ("\0"):rep(24) }, { "\0" }, 1, LOW
  local shown = script_functions.names(functions)
  for i, f in ipairs(functions) do
    local name, size = shown[i]:gsub("%z.*", ""), #f.lines * LINE
    symbols[i + 1] = ("<I4BBI2I8I8"):pack(at, GLOBAL_FUNCTION, 0, 1, low, size)
    names[i + 1] = name .. "\0"
    at, low = at + #name + 1, low + size
  end
  return table.concat(symbols), table.concat(names), low - LOW
end

-- Lines: DWARF 4, sections 6.2.4 and 6.2.5
-- ---------------------------------------------------------------------------------

local ADVANCE_LINE <const> = "\3"
local NEXT_LINE <const> = "\1\2" .. uleb(LINE) -- copy; advance_pc

-- Returns the lines of a function at the address `low`.
local function sequence_of(f, low, file)
  local parts = { "\0\9\2", ("<I8"):pack(low), "\4", uleb(file) } -- set_address, set_file
  local at = 1
  for _, line in ipairs(f.lines) do
    parts[#parts + 1] = ADVANCE_LINE .. sleb(line - at) .. NEXT_LINE
    at = line
  end
  parts[#parts + 1] = "\0\1\1" -- end_sequence
  return table.concat(parts)
end

local function lines_of(functions)
  local files, number, sequences, low = {}, {}, {}, LOW
  for _, f in ipairs(functions) do
    local file = script_functions.file(f)
    if file and not number[file] then
      files[#files + 1] = file:gsub("%z.*", "") .. "\0\0\0\0"
      number[file] = #files
    end
    if file then sequences[#sequences + 1] = sequence_of(f, low, number[file]) end
    low = low + #f.lines * LINE
  end
  -- minimum_instruction_length to line_range, opcode_base, the operands of opcodes
  local header = "\1\1\1\0\1\13" .. "\0\1\1\1\1\0\0\0\1\0\0\1" .. "\0" ..
    table.concat(files) .. "\0"
  return ("<s4"):pack(("<I2s4"):pack(4, header) .. table.concat(sequences))
end

-- The unit: its lines, and the addresses of its code.
local ABBREVIATION <const> = "\1\x11\0" .. "\x10\x17\x11\1\x12\7" .. "\0\0" .. "\0"

local function unit_of(size)
  return ("<s4"):pack(("<I2I4B"):pack(4, 0, 8) .. ("<BI4I8I8"):pack(1, 0, LOW, size))
end

-- The file
-- ---------------------------------------------------------------------------------

-- Returns the bytes of all sections, and the table of their headers.
local function placed(sections)
  local bytes, headers, names, name, at = {}, {}, {}, 0, HEADER + SEGMENT
  for i, section in ipairs(sections) do
    names[i] = section.name .. "\0"
    if section.name == ".shstrtab" then section.bytes = table.concat(names) end
    local content = section.bytes or ""
    local gap = -at % 8
    at = at + gap
    headers[i] = SECTION:pack(name, section.kind, section.flags or 0, section.low or 0,
      at, section.size or #content, section.link or 0, section.info or 0, 1,
      section.entry or 0)
    bytes[i] = ("\0"):rep(gap) .. content
    name, at = name + #names[i], at + #content
  end
  local gap = -at % 8
  return table.concat(bytes) .. ("\0"):rep(gap), table.concat(headers), at + gap
end

--- Returns the bytes of the file.
-- @tparam {table,...} functions sorted, as in gprof.scripts.script_functions
-- @treturn string
function script_image.bytes(functions)
  local symbols, names, size = symbols_of(functions)
  local sections = {
    { name = "", kind = 0 },
    { name = ".text", kind = NOBITS, flags = 6, low = LOW, size = size },
    { name = ".symtab", kind = SYMTAB, bytes = symbols, link = 3, info = 1, entry = 24 },
    { name = ".strtab", kind = STRTAB, bytes = names },
    { name = ".debug_line", kind = PROGBITS, bytes = lines_of(functions) },
    { name = ".debug_info", kind = PROGBITS, bytes = unit_of(size) },
    { name = ".debug_abbrev", kind = PROGBITS, bytes = ABBREVIATION },
    { name = ".shstrtab", kind = STRTAB },
  }
  local bytes, headers, at = placed(sections)
  local header = "\127ELF\2\1\1" .. ("\0"):rep(9) .. ("<I2I2I4I8I8I8I4I2I2I2I2I2I2"):pack(
    EXECUTABLE, X86_64, 1, LOW, HEADER, at, 0, HEADER, SEGMENT, 1, ENTRY, #sections,
    #sections - 1)
  local segment = ("<I4I4I8I8I8I8I8I8"):pack(1, 5, 0, LOW, LOW, 0, size, 1)
  return header .. segment .. bytes .. headers
end

return script_image
