-- Finds the fields of an ELF file, as targets for mutations.
--
-- Layouts: System V ABI, "Object Files"; for units, DWARF 5, chapter 7. Fields beyond the end of the file are omitted,
-- whatever the headers say. For an archive, lists the fields of its first member.
-- SPDX-License-Identifier: GPL-3.0-or-later

local layout = {}

-- Formats are as for string.unpack. In addition, P is an address of 4 or 8 bytes, depending on the class of the file.
local IDENT <const> = { { "class", "B", 4 }, { "data", "B", 5 }, { "version", "B", 6 }, { "abi", "B", 7 } }
local EHDR <const> = { "type I2", "machine I2", "version I4", "entry P", "phoff P", "shoff P", "flags I4",
  "ehsize I2", "phentsize I2", "phnum I2", "shentsize I2", "shnum I2", "shstrndx I2" }
local SHDR <const> = { "name I4", "type I4", "flags P", "addr P", "offset P", "size P", "link I4", "info I4",
  "addralign P", "entsize P" }
local PHDR <const> = {
  [4] = { "type I4", "offset I4", "vaddr I4", "paddr I4", "filesz I4", "memsz I4", "flags I4", "align I4" },
  [8] = { "type I4", "flags I4", "offset I8", "vaddr I8", "paddr I8", "filesz I8", "memsz I8", "align I8" },
}
local SYM <const> = {
  [4] = { "name I4", "value I4", "size I4", "info B", "other B", "shndx I2" },
  [8] = { "name I4", "info B", "other B", "shndx I2", "value I8", "size I8" },
}
local CHDR <const> = {
  [4] = { "type I4", "size I4", "addralign I4" },
  [8] = { "type I4", "reserved I4", "size I8", "addralign I8" },
}
local REL <const>, RELA <const> = { "offset P", "info P" }, { "offset P", "info P", "addend P" }
local DYN <const>, NOTE <const> = { "tag P", "val P" }, { "namesz I4", "descsz I4", "type I4" }
local ARRAY <const> = { "element I4" }

local SHT <const> = { symtab = 2, strtab = 3, rela = 4, dynamic = 6, note = 7, nobits = 8, rel = 9, dynsym = 11,
  group = 17, symtab_shndx = 18, hash = 0x6ffffff6, verdef = 0x6ffffffd, verneed = 0x6ffffffe, versym = 0x6fffffff }
layout.SHT = SHT
layout.COMPRESSED = 0x800

local MAX_UNITS <const> = 64

-- A reader of one file. Its methods append the fields that they find to the arrays in `fields`, one for each kind.
local reader = {}
reader.__index = reader

-- Lists a field of the file in `fields`, unless it is beyond the file's end. Returns its size in bytes.
function reader:add(kind, name, format, at)
  local size = string.packsize(format)
  if at >= 0 and at + size <= #self.bytes then
    local list = self.fields[kind] or {}
    self.fields[kind] = list
    list[#list + 1] = { at = at, size = size, name = kind .. "." .. name }
  end
  return size
end

-- Reads the record at offset `at` and lists its fields in `self.fields`. Returns the fields' values, keyed by name, and
-- the offset after the record.
function reader:record(kind, fields, at)
  local values = {}
  for _, field in ipairs(fields) do
    local name, format = field:match "(%S+) (%S+)"
    format = format:gsub("P", "I" .. self.pointer)
    local size = self:add(kind, name, format, at)
    values[name] = at >= 0 and at + size <= #self.bytes
      and (self.order .. format):unpack(self.bytes, at + 1) or 0
    at = at + size
  end
  return values, at
end

function reader:records(kind, fields, from, size)
  local at, stop = from, math.min(#self.bytes, from + size)
  while at < stop do
    local _, next = self:record(kind, fields, at)
    at = next
  end
end

-- A unit of debugging information begins with its length, of 32 or 64 bits, and a version.
function reader:units(name, from, size)
  local at, stop = from, math.min(#self.bytes, from + size)
  for _ = 1, MAX_UNITS do
    if at < from or at + 16 > stop then return end
    local length = (self.order .. "I4"):unpack(self.bytes, at + 1)
    self:add(name, "length", "I4", at)
    local next = at + 4
    if length == 0xffffffff then
      self:add(name, "wide_length", "I8", next)
      length = (self.order .. "I8"):unpack(self.bytes, next + 1)
      next = next + 8
    end
    self:add(name, "version", "I2", next)
    for i = 2, 15 do
      self:add(name, "header", "B", next + i)
    end
    for i = 2, 14, 4 do
      self:add(name, "header_word", "I4", next + i)
    end
    at = next + length
  end
end

local UNITS <const> = { [".debug_info"] = true, [".debug_line"] = true, [".debug_aranges"] = true,
  [".debug_str_offsets"] = true, [".debug_addr"] = true, [".debug_rnglists"] = true, [".debug_loclists"] = true,
  [".debug_types"] = true }

-- Lists the fields in a section's contents; the section's type and name determine their format.
function reader:contents(section)
  local from, size, pointer = section.offset, section.size, self.pointer
  local type = section.type
  if section.flags & layout.COMPRESSED ~= 0 then
    self:record("chdr", CHDR[pointer], from)
  elseif type == SHT.symtab or type == SHT.dynsym then
    self:records(type == SHT.symtab and "symbol" or "dynamic_symbol", SYM[pointer], from, size)
  elseif type == SHT.rela or type == SHT.rel then
    self:records("relocation", type == SHT.rela and RELA or REL, from, size)
  elseif type == SHT.dynamic then
    self:records("dynamic", DYN, from, size)
  elseif type == SHT.note then
    self:records("note", NOTE, from, math.min(size, 12))
  elseif type == SHT.group or type == SHT.hash or type >= SHT.verdef and type <= SHT.versym then
    self:records("version", ARRAY, from, math.min(size, 256))
  elseif UNITS[section.name] then
    self:units(section.name:sub(2), from, size)
  elseif section.name == ".gnu_debuglink" then
    self:records("debuglink", { "byte B" }, from, size)
  end
end

function reader:sections(header)
  local list = {}
  for i = 0, header.shnum - 1 do
    local at = self.base + header.shoff + i * header.shentsize
    local section = self:record("section", SHDR, at)
    section.header, section.offset = at, self.base + section.offset
    list[i + 1] = section
  end
  local names = list[header.shstrndx + 1]
  for _, section in ipairs(list) do
    local at = names and names.offset + section.name or #self.bytes
    section.name = at < #self.bytes and ("z"):unpack(self.bytes .. "\0", at + 1) or ""
    if section.type ~= SHT.nobits and section.type ~= 0 then self:contents(section) end
  end
  return list
end

--- Finds the fields of a file.
-- @tparam string bytes
-- @treturn table `fields`: for each kind, an array of `{ at =, size =, name = }`, with offsets from 0; empty if the
--   file is not ELF. `sections`: an array of section headers, each a table of values by name, with `header`, its
--   offset. `order`: "<" or ">". `pointer`: 4 or 8
function layout.read(bytes)
  local base = bytes:match "^()\127ELF" or bytes:match "^!<arch>\n.-()\127ELF"
  local self = setmetatable({ bytes = bytes, base = (base or 1) - 1, fields = {}, sections = {}, order = "<",
    pointer = 8 }, reader)
  local found = { fields = self.fields, sections = {}, order = "<", pointer = 8 }
  if not base then return found end
  self.pointer = bytes:byte(base + 4) == 1 and 4 or 8
  self.order = bytes:byte(base + 5) == 2 and ">" or "<"
  for _, field in ipairs(IDENT) do
    self:add("ident", field[1], field[2], self.base + field[3])
  end
  local header = self:record("header", EHDR, self.base + 16)
  for i = 0, header.phnum - 1 do
    self:record("segment", PHDR[self.pointer], self.base + header.phoff + i * header.phentsize)
  end
  found.pointer, found.order, found.sections = self.pointer, self.order, reader.sections(self, header)
  return found
end

return layout
