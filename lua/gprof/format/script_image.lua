--- Writes an executable that stands for the functions of a Lua program: an ELF file with
-- symbols and lines, but no code. All reports read it like any other executable.
--
-- Every line of a function has an address of its own, and so do the C functions.
--
-- @internal gprof.format.script_image
-- SPDX-License-Identifier: GPL-3.0-or-later

local script_image = {}

--- Bytes of code that stand for a line. Not less than a bin of the recorder's histograms.
script_image.LINE = 4

local SECTION <const> = "<I4I4I8I8I8I8I4I4I8I8"
local EXECUTABLE <const>, X86_64 <const> = 2, 62
local HEADER <const>, SEGMENT <const>, ENTRY <const> = 64, 56, 64 -- sizes in bytes
local PROGBITS <const>, SYMTAB <const>, STRTAB <const> = 1, 2, 3
local NOTE <const>, NOBITS <const>, BUILD_ID <const> = 7, 8, 3
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

-- Only for numbers that are not negative.
local function sleb(number)
  local bytes = {}
  while number >= 0x40 do
    bytes[#bytes + 1] = string.char(number & 0x7f | 0x80)
    number = number >> 7
  end
  return table.concat(bytes) .. string.char(number)
end

-- Symbols
-- ---------------------------------------------------------------------------------

-- Returns the contents of .symtab and .strtab.
local function symbols_of(functions)
  local symbols, names, at = { ("\0"):rep(24) }, { "\0" }, 1
  for i, f in ipairs(functions) do
    symbols[i + 1] = ("<I4BBI2I8I8"):pack(at, GLOBAL_FUNCTION, 0, 1, f.low, f.size)
    names[i + 1] = f.name .. "\0"
    at = at + #f.name + 1
  end
  return table.concat(symbols), table.concat(names)
end

-- Lines: DWARF 4, sections 6.2.4 and 6.2.5
-- -------------------------------------------------

local NEXT_LINE <const> = "\1\2" .. uleb(script_image.LINE) -- copy; advance_pc

local function sequence_of(f, file)
  local lines = f.size // script_image.LINE
  return table.concat {
    "\0\9\2", ("<I8"):pack(f.low),                -- set_address
    "\4", uleb(file), "\3", sleb(f.first - 1),    -- set_file, advance_line
    (NEXT_LINE .. "\3\1"):rep(lines - 1), NEXT_LINE, "\0\1\1" }
end

local function lines_of(functions)
  local files, number, sequences = {}, {}, {}
  for _, f in ipairs(functions) do
    if f.file and not number[f.file] then
      files[#files + 1] = f.file .. "\0\0\0\0"
      number[f.file] = #files
    end
    if f.file then sequences[#sequences + 1] = sequence_of(f, number[f.file]) end
  end
  -- minimum_instruction_length to line_range, opcode_base, the operands of opcodes
  local header = "\1\1\1\0\1\13" .. "\0\1\1\1\1\0\0\0\1\0\0\1" .. "\0" ..
    table.concat(files) .. "\0"
  return ("<s4"):pack(("<I2s4"):pack(4, header) .. table.concat(sequences))
end

-- The unit: its lines, and the addresses of its code.
local ABBREVIATION <const> = "\1\x11\0" .. "\x10\x17\x11\1\x12\7" .. "\0\0" .. "\0"

local function unit_of(low, size)
  return ("<s4"):pack(("<I2I4B"):pack(4, 0, 8) .. ("<BI4I8I8"):pack(1, 0, low, size))
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

--- Returns the bytes of the file, and its build ID.
-- @tparam {table,...} functions in the order of their addresses: `name`; `low`, the
--   address; `size`, a multiple of `LINE`, except for C functions; for Lua functions with
--   known lines, `file` and `first`, the line at `low`
-- @tparam function crc32 returns the CRC-32 of a string
-- @treturn string the file
-- @treturn string the build ID: two files with the same ID have the same functions
function script_image.bytes(functions, crc32)
  local low, last = functions[1].low, functions[#functions]
  local size = last.low + last.size - low
  local symbols, names = symbols_of(functions)
  local lines = lines_of(functions)
  local id = ("<I4I4I4"):pack(crc32(symbols), crc32(names), crc32(lines))
  local sections = {
    { name = "", kind = 0 },
    { name = ".text", kind = NOBITS, flags = 6, low = low, size = size },
    { name = ".symtab", kind = SYMTAB, bytes = symbols, link = 3, info = 1, entry = 24 },
    { name = ".strtab", kind = STRTAB, bytes = names },
    { name = ".debug_line", kind = PROGBITS, bytes = lines },
    { name = ".debug_info", kind = PROGBITS, bytes = unit_of(low, size) },
    { name = ".debug_abbrev", kind = PROGBITS, bytes = ABBREVIATION },
    { name = ".note.gnu.build-id", kind = NOTE,
      bytes = ("<I4I4I4z"):pack(4, #id, BUILD_ID, "GNU") .. id },
    { name = ".shstrtab", kind = STRTAB },
  }
  local bytes, headers, at = placed(sections)
  local header = "\127ELF\2\1\1" .. ("\0"):rep(9) .. ("<I2I2I4I8I8I8I4I2I2I2I2I2I2"):pack(
    EXECUTABLE, X86_64, 1, low, HEADER, at, 0, HEADER, SEGMENT, 1, ENTRY, #sections,
    #sections - 1)
  local segment = ("<I4I4I8I8I8I8I8I8"):pack(1, 5, 0, low, low, 0, size, 1)
  return header .. segment .. bytes .. headers, id
end

return script_image
