-- Entries of inlined functions, from compilers and crafted ones.
-- SPDX-License-Identifier: GPL-3.0-or-later

local compiled = require "seeds.compiled_sections"
local entries = require "support.entries"

local names <const> = { "info", "abbrev", "str", "line_str", "str_offsets", "addr", "ranges", "rnglists", "line" }

-- Crafted units use every form and every kind of range.
local function crafted(version, wide)
  local function code(low, high) return { { "low", "addr", 0x1000 + low }, { "high", "data4", high - low } } end
  local declared = { "subprogram", with = { { "linkage_name", "string", "_Z1f" } } }
  local abstract = { "subprogram", with = { { "specification", "ref4", declared }, { "name", "string", "f" } } }
  local outer = { "subprogram", with = code(0, 64),
    { "inlined", with = { { "origin", "ref_addr", abstract }, { "ranges", "sec_offset", 0 },
        { "call_line", "data1", 7 }, { "call_file", "implicit_const", 1 } },
      { "lexical_block", { "inlined", with = { { "origin", "ref4", declared }, { "low", "addrx", 0 },
        { "high", "udata", 4 } } } } },
    { "inlined", with = { { "name", "strx1", 0 }, { "ranges", "rnglistx", 0 } } } }
  local skipped = { "enumeration_type", with = { { "sibling", "ref4", outer } }, { "subprogram" } }
  local info, abbrev = entries.encode({ version = version, wide = wide },
    { { "compile_unit", with = code(0, 64), declared, abstract },
      { "compile_unit", with = { { "addr_base", "sec_offset", 8 }, { "rnglists_base", "sec_offset", 12 },
        { "ranges", "sec_offset", 0, indirect = true } }, declared, skipped, outer } })
  return { info, abbrev, "f\0", "", ("<I4I4I4"):pack(8, 5, 0), ("<I4I4I8"):pack(12, 0x80005, 0x1008),
    ("<I8I8I8I8I8I8"):pack(-1, 0x1000, 4, 40, 0, 0),
    ("<I4I4I4I4"):pack(60, 0x80005, 1, 4) .. "\4\8\20\1\0\4\1\2\3\0\4\2\0\0\5" .. ("<I8"):pack(0x1000) .. "\6" ..
    ("<I8I8"):pack(0x1010, 0x1020) .. "\7" .. ("<I8"):pack(0x1020) .. "\4\0", "" }
end

return function(save)
  compiled.each(compiled.INLINED, names, function(parts)
    save("\0" .. compiled.ALL, table.unpack(parts))
    save("\16" .. compiled.SOME, table.unpack(parts)) -- compressed sections
  end)
  for version = 2, 5 do
    for _, wide in ipairs { false, true } do save("\0" .. compiled.ALL, table.unpack(crafted(version, wide))) end
  end
end
