-- Ways to damage an image. Each changes the image and returns a short description; nil if it is not applicable.
--
-- Random numbers come from math.random: the same seed damages an image in the same way.
-- SPDX-License-Identifier: GPL-3.0-or-later

local layout = require "fuzz.images.layout"
local values = require "fuzz.images.values"

local random <const> = math.random

local mutations = {}

local function pick(list)
  return list[random(#list)]
end

-- Returns a random length of at most `most`, usually a short one.
local function some_length(most)
  return random(0, math.max(0, math.min(most, 2 ^ random(0, 12) // 1 | 0)))
end

local function replace(image, at, new)
  image.bytes = image.bytes:sub(1, at) .. new .. image.bytes:sub(at + #new + 1)
end

-- Writes a field. Does nothing if an earlier mutation has cut the field off.
local function write(image, field, value)
  if field.at + field.size > #image.bytes then return end
  local order, size = image.layout.order, field.size
  local mask = size == 8 and -1 or (1 << 8 * size) - 1
  replace(image, field.at, (order .. (size == 8 and "i8" or "I" .. size)):pack(value & mask))
end

local function read(image, field)
  if field.at + field.size > #image.bytes then return 0 end
  return (image.layout.order .. (field.size == 8 and "i8" or "I" .. field.size)):unpack(image.bytes, field.at + 1)
end

-- Returns a new value for a number.
local function any_value(old, image)
  return pick(values)(old, #image.bytes)
end

-- --- fields ---------------------------------------------------------------------

local function any_field(image)
  local kinds = {}
  for kind in pairs(image.layout.fields) do
    kinds[#kinds + 1] = kind
  end
  table.sort(kinds)
  return #kinds > 0 and pick(image.layout.fields[pick(kinds)])
end

local function set_field(image, field, value)
  write(image, field, value)
  return ("%s at %#x = %#x"):format(field.name, field.at, value)
end

-- Sets any field to any value.
function mutations.field(image)
  local field = any_field(image)
  return field and set_field(image, field, any_value(read(image, field), image))
end

-- Sets a field to the value of another field of the same name.
function mutations.exchange(image)
  local field, alike = any_field(image), {}
  if not field then return end
  for _, other in ipairs(image.layout.fields[field.name:match "^[^.]*"]) do
    if other.name == field.name then alike[#alike + 1] = other end
  end
  return set_field(image, field, read(image, pick(alike)))
end

-- Changes all fields with the same name in the same way.
function mutations.all_of_a_name(image)
  local chosen, value = any_field(image), pick(values)
  if not chosen then return end
  local count = 0
  for _, field in ipairs(image.layout.fields[chosen.name:match "^[^.]*"]) do
    if field.name == chosen.name and count < 300 then
      write(image, field, value(read(image, field), #image.bytes))
      count = count + 1
    end
  end
  return ("%d fields %s, such as %#x"):format(count, chosen.name, read(image, chosen))
end

-- Changes the uncompressed size of a compressed section, usually to a huge one.
function mutations.claimed_size(image)
  local sizes = {}
  for _, field in ipairs(image.layout.fields.chdr or {}) do
    if field.name == "chdr.size" then sizes[#sizes + 1] = field end
  end
  if #sizes == 0 then return end
  local field = pick(sizes)
  return set_field(image, field, random(2) == 1 and 1 << random(24, 63) or any_value(read(image, field), image))
end

-- --- section headers ------------------------------------------------------------

local OFFSETS <const> = {
  [4] = { name = 0, type = 4, flags = 8, addr = 12, offset = 16, size = 20, link = 24, info = 28, entsize = 36 },
  [8] = { name = 0, type = 4, flags = 8, addr = 16, offset = 24, size = 32, link = 40, info = 44, entsize = 56 },
}
local NARROW <const> = { name = true, type = true, link = true, info = true }

local function header_field(image, section, name)
  local pointer = image.layout.pointer
  return { at = section.header + OFFSETS[pointer][name], size = NARROW[name] and 4 or pointer,
    name = ("%s.sh_%s"):format(section.name, name) }
end

-- Returns a random section, preferably one that gprof reads. Byte mutations reach the other sections.
local function any_section(image, matches)
  local all, wanted = image.layout.sections, {}
  for _, section in ipairs(all) do
    if section.name:find(matches or "debug") or section.name:find "tab$" or section.name == ".text" then
      wanted[#wanted + 1] = section
    end
  end
  if #wanted > 0 and random(4) > 1 then return pick(wanted) end
  return #all > 0 and pick(all)
end

local function in_header(name, value)
  return function(image)
    local section = any_section(image)
    if not section then return end
    local field = header_field(image, section, name)
    return set_field(image, field, value(read(image, field), image))
  end
end

mutations.section_size = in_header("size", any_value)
mutations.section_offset = in_header("offset", any_value)
mutations.section_entsize = in_header("entsize", any_value)
mutations.section_link = in_header("link", function(_, image) return random(0, #image.layout.sections + 1) end)
mutations.section_compressed = in_header("flags", function(old) return old ~ layout.COMPRESSED end)
mutations.section_flags = in_header("flags", function(old) return old ~ 1 << random(0, 12) end)
mutations.section_type = in_header("type", function()
  local types = {}
  for _, type in pairs(layout.SHT) do
    types[#types + 1] = type
  end
  table.sort(types)
  return pick(types)
end)

-- Gives a section the offset and size of another.
function mutations.section_overlap(image)
  local one, other = any_section(image), any_section(image)
  if not one then return end
  write(image, header_field(image, one, "offset"), other.offset)
  write(image, header_field(image, one, "size"), other.size)
  return ("%s has the bytes of %s"):format(one.name, other.name)
end

-- Swaps two section headers, so links and indices refer to the wrong sections.
function mutations.section_swap(image)
  local one, other = any_section(image), any_section(image)
  if not one or other.header == one.header then return end
  local size = image.layout.pointer == 8 and 64 or 40
  local header = image.bytes:sub(one.header + 1, one.header + size)
  replace(image, one.header, image.bytes:sub(other.header + 1, other.header + size))
  replace(image, other.header, header)
  return ("headers of %s and %s are swapped"):format(one.name, other.name)
end

-- Gives a section the name of another, so that two sections have this name.
function mutations.section_twice(image)
  local one, other = any_section(image), any_section(image)
  if not one then return end
  local field = header_field(image, other, "name")
  return set_field(image, header_field(image, one, "name"), read(image, field))
end

local NAMES <const> = { ".debug_info", ".debug_line", ".debug_abbrev", ".debug_str", ".zdebug_info", ".zdebug_line",
  ".line", ".debug", ".stab", ".stabstr", ".mdebug", ".debug_types", ".debug_ranges", ".debug_loc", ".debug_addr",
  ".debug_str_offsets", ".gnu_debugaltlink", ".gnu_debuglink", ".text", ".plt", ".plt.got", ".note.gnu.build-id",
  ".gnu.debuglto_", ".gnu.lto_.opts", ".symtab_shndx", ".opd", ".debug_macro", ".debug_macinfo" }

-- Renames a section in the string table. The new name is cut to the length of the old one.
function mutations.section_name(image)
  local section, name = any_section(image), pick(NAMES)
  local at = section and image.bytes:find(section.name .. "\0", 1, true)
  if not at or section.name == "" then return end
  replace(image, at - 1, name:sub(1, #section.name) .. "\0")
  return ("%s is called %s"):format(section.name, name:sub(1, #section.name))
end

-- --- bytes ----------------------------------------------------------------------

-- Returns a random offset: in half of the cases in a section, otherwise anywhere.
local function any_place(image)
  local section = random(2) == 1 and any_section(image)
  if section and section.size > 0 and section.offset < #image.bytes then
    return section.offset + random(0, math.min(section.size, #image.bytes - section.offset) - 1), section.name
  end
  return random(0, #image.bytes - 1), "file"
end

local function overwrite(make)
  return function(image)
    local at, where = any_place(image)
    local new = make(image, at):sub(1, #image.bytes - at)
    replace(image, at, new)
    return ("%d bytes at %#x, %s"):format(#new, at, where)
  end
end

mutations.flip = overwrite(function(image, at) return string.char(image.bytes:byte(at + 1) ~ 1 << random(0, 7)) end)
mutations.byte = overwrite(function() return string.char(random(0, 255)) end)
mutations.bytes = overwrite(function()
  local list = {}
  for i = 1, random(16) do
    list[i] = string.char(random(0, 255))
  end
  return table.concat(list)
end)
mutations.word = overwrite(function(image)
  local size = pick { 2, 4, 8 }
  local value = any_value(random(0, 65535), image)
  return (image.layout.order .. "i8"):pack(size == 8 and value or value << (image.layout.order == "<" and 0
    or 64 - 8 * size)):sub(1, size)
end)
mutations.zeros = overwrite(function(image) return ("\0"):rep(some_length(#image.bytes)) end)
mutations.ones = overwrite(function(image) return ("\xff"):rep(some_length(#image.bytes)) end)
-- Writes LEB128 numbers without an end, or of any length.
mutations.endless = overwrite(function()
  return ("\x80"):rep(random(0, 20)) .. pick { "\x7f", "\0", "\xff\xff", "" }
end)
mutations.text = overwrite(function() return pick { "%s%n", "../../", "/", "\27[2J", "\n\n", "\xff\xfe", "_Z", "_ZN",
  "@", "$", ("A"):rep(64) } end)
mutations.copy = overwrite(function(image)
  local from = any_place(image)
  return image.bytes:sub(from + 1, from + some_length(#image.bytes))
end)

-- Fills a section with one byte, so that strings do not end.
function mutations.fill(image)
  local section = any_section(image)
  if not section or section.offset >= #image.bytes then return end
  local size = math.min(section.size, #image.bytes - section.offset)
  replace(image, section.offset, pick { "\0", "\xff", "A", "\x80", "\1" }:rep(size))
  return ("%s is filled with %#04x"):format(section.name, image.bytes:byte(section.offset + 1) or 0)
end

-- Replaces all NULs in the last part of a string table.
function mutations.unterminated(image)
  local section = any_section(image, "str")
  if not section or section.size <= 0 or section.offset < 0 or section.size > #image.bytes - section.offset then
    return
  end
  local from = random(0, section.size - 1)
  local tail = image.bytes:sub(section.offset + from + 1, section.offset + section.size):gsub("\0", "x")
  replace(image, section.offset + from, tail)
  return ("%s has no NUL from %#x on"):format(section.name, from)
end

-- --- size -----------------------------------------------------------------------

function mutations.cut(image)
  local section = any_section(image)
  local size = random(3) == 1 and section and section.offset + random(-8, 8) or random(0, #image.bytes)
  image.bytes = image.bytes:sub(1, math.max(1, size))
  return ("cut off at %#x"):format(#image.bytes)
end

function mutations.extend(image)
  local more = some_length(65536)
  image.bytes = image.bytes .. pick { "\0", "\xff", image.bytes:sub(1, 64) }:rep(more):sub(1, more)
  return ("%d bytes more"):format(more)
end

-- Removes or inserts bytes, so everything after them moves.
function mutations.shift(image)
  local at, length = any_place(image), random(16)
  if random(2) == 1 then
    image.bytes = image.bytes:sub(1, at) .. image.bytes:sub(at + length + 1)
    return ("%d bytes less at %#x"):format(length, at)
  end
  image.bytes = image.bytes:sub(1, at) .. ("\1"):rep(length) .. image.bytes:sub(at + 1)
  return ("%d bytes more at %#x"):format(length, at)
end

-- --- several --------------------------------------------------------------------

-- Changes of single fields and bytes reach the deepest code. So they are chosen more often than coarse damage.
local often <const> = { "field", "field", "field", "field", "exchange", "flip", "byte", "bytes", "word", "endless" }

local names = {}
for name in pairs(mutations) do
  names[#names + 1] = name
end
table.sort(names)
table.move(often, 1, #often, #names + 1, names)

--- Damages an image.
-- @tparam string bytes
-- @treturn string bytes
-- @treturn string a description on one line
function mutations.damage(bytes)
  local image, done = { bytes = bytes, layout = layout.read(bytes) }, {}
  local wanted = pick { 1, 1, 1, 2, 3, 6 }
  for _ = 1, 10 * wanted do
    local what = #image.bytes > 0 and mutations[pick(names)](image)
    if what then done[#done + 1] = what end
    if #done == wanted then break end
  end
  return image.bytes, table.concat(done, "; ")
end

return mutations
