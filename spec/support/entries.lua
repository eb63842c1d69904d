-- Encodes crafted entries of .debug_info, with their abbreviations.
-- SPDX-License-Identifier: GPL-3.0-or-later

local entries = {}

local char <const> = string.char

--- Encodes a number as ULEB128.
-- @tparam integer n taken as unsigned
-- @treturn string
function entries.uleb(n)
  local bytes = {}
  repeat
    local low = n & 127
    n = n >> 7
    bytes[#bytes + 1] = char(n ~= 0 and low | 128 or low)
  until n == 0
  return table.concat(bytes)
end

local uleb <const> = entries.uleb

-- Encodes a number as ULEB128 of four bytes.
local function padded(n)
  return char(n & 127 | 128, n >> 7 & 127 | 128, n >> 14 & 127 | 128, n >> 21 & 127)
end

local tags <const> = {
  enumeration_type = 0x04, lexical_block = 0x0b, compile_unit = 0x11, structure_type = 0x13, inlined = 0x1d,
  subprogram = 0x2e, namespace = 0x39, partial_unit = 0x3c, skeleton_unit = 0x4a, call_site = 0x48,
}

local attributes <const> = {
  sibling = 0x01, name = 0x03, stmt_list = 0x10, low = 0x11, high = 0x12, comp_dir = 0x1b, inline = 0x20,
  origin = 0x31, declaration = 0x3c, frame_base = 0x40, specification = 0x47, ranges = 0x55, call_file = 0x58,
  call_line = 0x59, linkage_name = 0x6e, str_offsets_base = 0x72, addr_base = 0x73, rnglists_base = 0x74,
}

-- Forms: { number, function(value, plan) -> bytes }. A value of a reference is an entry, whose offsets are known in the
-- second pass.
local function fixed(number, format)
  return { number, function(value) return (format):pack(value) end }
end
local function offset(number)
  return { number, function(value, plan) return (plan.wide and "<I8" or "<I4"):pack(value) end }
end
local function near(number, format)
  return { number, function(to) return (format):pack(to.near or 0) end }
end

local forms <const> = {
  addr = { 0x01, function(value, plan) return ("<I" .. (plan.address_size or 8)):pack(value) end },
  block1 = fixed(0x0a, "<s1"), block2 = fixed(0x03, "<s2"), block4 = fixed(0x04, "<s4"),
  block = { 0x09, function(value) return uleb(#value) .. value end },
  exprloc = { 0x18, function(value) return uleb(#value) .. value end },
  data1 = fixed(0x0b, "<I1"), data2 = fixed(0x05, "<I2"), data4 = fixed(0x06, "<I4"), data8 = fixed(0x07, "<i8"),
  data16 = { 0x1e, function(value) return value end }, flag = fixed(0x0c, "<I1"),
  udata = { 0x0f, uleb }, sdata = { 0x0d, function(value) return char(value & 127 | 128, value >> 7 & 63) end },
  string = { 0x08, function(value) return value .. "\0" end }, strp = offset(0x0e), line_strp = offset(0x1f),
  sec_offset = offset(0x17), flag_present = { 0x19, function() return "" end }, implicit_const = { 0x21 },
  strx = { 0x1a, uleb }, strx1 = fixed(0x25, "<I1"), strx2 = fixed(0x26, "<I2"), strx3 = fixed(0x27, "<I3"),
  strx4 = fixed(0x28, "<I4"), addrx = { 0x1b, uleb }, addrx1 = fixed(0x29, "<I1"), addrx2 = fixed(0x2a, "<I2"),
  addrx3 = fixed(0x2b, "<I3"), addrx4 = fixed(0x2c, "<I4"), rnglistx = { 0x23, uleb }, loclistx = { 0x22, uleb },
  GNU_addr_index = { 0x1f01, uleb }, GNU_str_index = { 0x1f02, uleb },
  ref1 = near(0x11, "<I1"), ref2 = near(0x12, "<I2"), ref4 = near(0x13, "<I4"), ref8 = near(0x14, "<I8"),
  ref_udata = { 0x15, function(to) return padded(to.near or 0) end }, ref_sig8 = fixed(0x20, "<i8"),
  ref_addr = { 0x10, function(to, plan)
    local size = plan.version == 2 and (plan.address_size or 8) or plan.wide and 8 or 4
    return ("<I" .. size):pack(to.offset or 0)
  end },
  ref_sup4 = fixed(0x1c, "<I4"), ref_sup8 = fixed(0x24, "<I8"), GNU_ref_alt = offset(0x1f20),
  GNU_strp_alt = offset(0x1f21), strp_sup = offset(0x1d),
}

-- Encodes the value of an attribute; an indirect form begins with the number of the real one.
local function value_of(attribute, plan)
  local form, value, indirect = attribute[2], attribute[3], attribute.indirect
  if form == "implicit_const" then return "" end
  local bytes = forms[form][2](value, plan)
  return indirect and uleb(forms[form][1]) .. bytes or bytes
end

-- Returns the code of an entry's abbreviation.
local function abbreviate(state, entry)
  if state.codes[entry] then return state.codes[entry] end
  local code = #state.abbreviations + 1
  state.codes[entry] = code
  local parts = { uleb(code), uleb(tags[entry[1]] or entry[1]), char(#entry > 1 and 1 or 0) }
  for _, attribute in ipairs(entry.with or {}) do
    local form = attribute[2]
    parts[#parts + 1] = uleb(attributes[attribute[1]] or attribute[1]) ..
      uleb(attribute.indirect and 0x16 or forms[form][1]) .. (form == "implicit_const" and char(attribute[3]) or "")
  end
  state.abbreviations[code] = table.concat(parts) .. "\0\0"
  return code
end

local function encode(state, entry, bytes)
  entry.near, entry.offset = state.size, state.start + state.size
  local function put(text)
    bytes[#bytes + 1] = text
    state.size = state.size + #text
  end
  put(uleb(abbreviate(state, entry)))
  for _, attribute in ipairs(entry.with or {}) do put(value_of(attribute, state.plan)) end
  for i = 2, #entry do encode(state, entry[i], bytes) end
  if #entry > 1 then put "\0" end
end

local function header(plan, size)
  local wide = plan.wide and "<I8" or "<I4"
  local rest = plan.version >= 5
    and char(5, 0, plan.type or 1, plan.address_size or 8) .. wide:pack(0) .. (plan.id or "")
    or ("<I2"):pack(plan.version) .. wide:pack(0) .. char(plan.address_size or 8)
  return (plan.wide and "\255\255\255\255" or "") .. wide:pack(#rest + size) .. rest
end

--- Encodes units.
--
-- An entry is a table: its tag, then its children. `with` is an array of attributes: { name, form, value }. With
-- `indirect`, the form is in the entry. The value of a reference is an entry of any unit.
-- @tparam table plan `version`, 2 to 5; `wide`, for 64-bit DWARF; `address_size` (8); `type` of the units (1)
-- @tparam {table,...} units the first entry of each
-- @treturn string .debug_info
-- @treturn string .debug_abbrev
function entries.encode(plan, units)
  local state, info = { plan = plan, abbreviations = {}, codes = {} }, nil
  for _ = 1, 2 do  -- the second pass knows all offsets
    info, state.start = {}, 0
    for _, unit in ipairs(units) do
      local bytes = {}
      state.size = #header(plan, 0)
      encode(state, unit, bytes)
      local body = table.concat(bytes)
      info[#info + 1] = header(plan, #body) .. body
      state.start = state.start + #info[#info]
    end
  end
  return table.concat(info), table.concat(state.abbreviations) .. "\0"
end

return entries
