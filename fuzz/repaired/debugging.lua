-- Debugging sections of DWARF 5 in ELF files as trees, for files of -gsplit-dwarf. Lengths of units are computed, and
-- the sizes in section headers and in the indexes of packages.
-- SPDX-License-Identifier: GPL-3.0-or-later

local elf = require "support.elf"
local layout = require "fuzz.images.layout"
local nodes = require "fuzz.repaired.nodes"

local number <const>, record <const>, text <const>, uleb <const> = nodes.number, nodes.record, nodes.text, nodes.uleb
local many <const>, sized <const> = nodes.many, nodes.sized

local debugging = {}

-- Abbreviations -------------------------------------------------------------------------------------------------------

local IMPLICIT <const>, INDIRECT <const> = 0x21, 0x16

-- Reads the attributes of an abbreviation, which two zeros end.
local function specifications(bytes, at)
  local items, attribute, form, constant = {}
  repeat
    attribute, at = uleb "attribute" (bytes, at)
    form, at = uleb "form" (bytes, at)
    local parts = { attribute, form }
    if form.value == IMPLICIT then
      constant, at = uleb "constant" (bytes, at)
      parts[3] = constant
    end
    items[#items + 1] = nodes.list_of("specification", parts, { fixed = true })
  until form.value == 0
  return nodes.list_of("specifications", items), at
end

local function abbreviation(bytes, at, stop)
  if bytes:byte(at) == 0 then return text "end of abbreviations" (bytes, at, math.min(at + 1, stop)) end
  return record("abbreviation", uleb "code", uleb "tag", number("children", "B"), specifications)(bytes, at, stop)
end

local abbreviations <const> = many("abbreviations", abbreviation)

-- Returns the attributes of each code: arrays of names and forms.
local function attributes_of(tree)
  local attributes = {}
  for _, item in ipairs(tree.items) do
    local list = {}
    for i, one in ipairs(item.items and item.items[4].items or {}) do
      list[i] = { one.items[1].value, one.items[2].value }
    end
    if item.items then attributes[item.items[1].value] = list end
  end
  return attributes
end

-- Entries -------------------------------------------------------------------------------------------------------------

-- Readers of forms, by number; the names are those of attributes.
local function fixed(format)
  return function(name) return number(name, format) end
end
local function expression(name) return sized(name .. " size", "B", text(name)) end

local forms <const> = {
  [0x01] = fixed "<I8", [0x03] = function(name) return sized(name .. " size", "<I2", text(name)) end,
  [0x04] = function(name) return sized(name .. " size", "<I4", text(name)) end, [0x05] = fixed "<I2",
  [0x06] = fixed "<I4", [0x07] = fixed "<I8", [0x08] = nodes.line, [0x09] = expression, [0x0a] = expression,
  [0x0b] = fixed "B", [0x0c] = fixed "B", [0x0d] = uleb, [0x0e] = fixed "<I4", [0x0f] = uleb, [0x10] = fixed "<I4",
  [0x11] = fixed "B", [0x12] = fixed "<I2", [0x13] = fixed "<I4", [0x14] = fixed "<I8", [0x15] = uleb,
  [0x17] = fixed "<I4", [0x18] = expression, [0x19] = function(name) return text(name, 0) end, [0x1a] = uleb,
  [0x1b] = uleb, [0x1e] = function(name) return text(name, 16) end, [0x1f] = fixed "<I4", [0x20] = fixed "<I8",
  [IMPLICIT] = function(name) return text(name, 0) end, [0x22] = uleb, [0x23] = uleb, [0x25] = fixed "B",
  [0x26] = fixed "<I2", [0x27] = fixed "<I3", [0x28] = fixed "<I4", [0x29] = fixed "B", [0x2a] = fixed "<I2",
  [0x2b] = fixed "<I3", [0x2c] = fixed "<I4",
}
assert(not forms[INDIRECT])

-- Returns the reader of an entry.
local function entry(attributes)
  return function(bytes, at, stop)
    local code, after = uleb "code" (bytes, at)
    local items = { code }
    at = after
    for i, one in ipairs(attributes[code.value] or {}) do
      if one[2] ~= 0 then
        items[i + 1], at = forms[one[2]](("attribute %#x form %#x"):format(one[1], one[2]))(bytes, at, stop)
      end
    end
    return nodes.list_of("entry", items, { fixed = true }), at
  end
end

local SKELETON <const>, SPLIT <const> = 4, 5 -- types of units

-- Returns the reader of .debug_info with these abbreviations.
local function units(attributes)
  local entries = many("entries", entry(attributes))
  local id = number("unit ID", "<I8")
  return many("units", sized("unit length", "<I4", nodes.choice(function(bytes, at)
    local type = bytes:byte(at + 2)
    local has_id = type == SKELETON or type == SPLIT
    return record("unit", number("version", "<I2"), number("type", "B"), number("address size", "B"),
      number("abbreviations", "<I4"), has_id and id or text("no ID", 0), entries)
  end)))
end

-- Other sections ------------------------------------------------------------------------------------------------------

-- Returns the reader of tables that begin with a length, a version and two bytes.
local function tables(name, item)
  return many(name .. "s", sized(name .. " length", "<I4", record(name, number("version", "<I2"), number("size", "B"),
    number("segment size", "B"), item)))
end

local index <const> = record("index", number("version", "<I4"), number("columns", "<I4"), number("unit count", "<I4"),
  number("slots", "<I4"), function(bytes, at, stop)
    local columns, count, slots = ("<I4I4I4"):unpack(bytes, at - 12)
    local rows = 4 * columns
    return record("index tables", many("signatures", number("signature", "<I8"), stop - at - 8 * slots),
      many("rows", number("row", "<I4"), rows * (2 * count + 1)),
      many("section kinds", number("section kind", "<I4"), 2 * rows * count),
      many("offsets", number("offset", "<I4"), rows * count),
      many("lengths", number("length", "<I4")))(bytes, at, stop)
  end)

local readers <const> = {
  str_offsets = tables("string offsets", many("offsets", number("offset", "<I4"))),
  addr = tables("addresses", many("addresses", number("address", "<I8"))),
  rnglists = tables("ranges", record("range lists", number("range list count", "<I4"), text "range lists")),
  line = many("line tables", sized("line table length", "<I4", text "line table")),
  str = many("strings", nodes.line "string"), line_str = many("strings", nodes.line "string"),
  cu_index = index, tu_index = index,
}

-- Files ---------------------------------------------------------------------------------------------------------------

-- Appends sections that have changed to a file, and corrects the headers of the sections.
local function file_bytes(node)
  local bytes = node.value
  for i, item in ipairs(node.items) do
    local content, section = item:bytes(), node.sections[i]
    if content ~= section.content then
      bytes = elf.patch(bytes, section.name, { offset = #bytes, size = #content }) .. content
    end
  end
  return bytes
end

-- Returns the reader of a kind of section.
local function reader_of(kind, attributes)
  if kind == "info" then return units(attributes) end
  return kind == "abbrev" and abbreviations or readers[kind]
end

-- Returns the debugging sections of a file: their `name` and `content`, and `kind`, the name without ".debug_" and
-- ".dwo".
local function sections_of(bytes)
  local sections = {}
  for _, header in ipairs(layout.read(bytes).sections) do
    local kind = header.name:match "^%.debug_([%l_]*)"
    local content = bytes:sub(header.offset + 1, header.offset + header.size)
    if kind then sections[#sections + 1] = { name = header.name, kind = kind, content = content } end
    if kind == "abbrev" then sections.attributes = attributes_of(nodes.read(abbreviations, content)) end
  end
  return sections
end

--- Reads the debugging sections of a 64-bit little-endian ELF file.
-- @tparam string bytes
-- @treturn table node
function debugging.read(bytes)
  local items, read_sections, sections = {}, {}, sections_of(bytes)
  for _, section in ipairs(sections) do
    local read = reader_of(section.kind, sections.attributes)
    if read then
      items[#items + 1], read_sections[#items + 1] = nodes.read(read, section.content), section
    end
  end
  return nodes.list_of("ELF", items, { fixed = true, value = bytes, bytes = file_bytes, sections = read_sections })
end

-- Returns the node of a section in a file.
local function section(tree, name)
  for i, one in ipairs(tree.sections) do
    if one.name == name then return tree.items[i] end
  end
end

-- The numbers of sections in an index.
local NUMBERS <const> = { ".debug_info.dwo", nil, ".debug_abbrev.dwo", ".debug_line.dwo", ".debug_loclists.dwo",
  ".debug_str_offsets.dwo", ".debug_macro.dwo", ".debug_rnglists.dwo" }

-- Corrects the lengths in the index of a package of one unit.
local function link_index(package)
  local index_of = section(package, ".debug_cu_index")
  local kinds = index_of and nodes.find(index_of, "section kinds")
  local lengths = index_of and nodes.find(index_of, "lengths")
  for i, kind in ipairs(kinds and kinds.items or {}) do
    local named = NUMBERS[kind.value] and section(package, NUMBERS[kind.value])
    if named and lengths and lengths.items[i] then lengths.items[i].value = #named:bytes() end
  end
end

--- Prepares changed files to be written: the split file or package gets the ID of the program's unit.
-- @tparam table program
-- @tparam table split
function debugging.link(program, split)
  local own, other = nodes.find(program, "unit ID"), nodes.find(split, "unit ID")
  local index_of = section(split, ".debug_cu_index")
  if own and other then other.value = own.value end
  local signatures = index_of and nodes.find(index_of, "signatures")
  for _, one in ipairs(own and signatures and signatures.items or {}) do
    if one.class == "number" and one.value ~= 0 then one.value = own.value end
  end
  link_index(split)
end

return debugging
