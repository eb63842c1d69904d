-- Entries of inlined functions in split files, packages and supplementary files: from compilers, and crafted ones.
-- SPDX-License-Identifier: GPL-3.0-or-later

local compiled = require "seeds.compiled_sections"
local entries = require "support.entries"
local shell = require "support.shell"

local own <const> = { "info", "abbrev", "str", "addr", "ranges", "rnglists", "line" }
local split <const> = { "info.dwo", "abbrev.dwo", "str.dwo", "str_offsets.dwo", "rnglists.dwo", "cu_index" }
local shared <const> = { "info", "abbrev", "str" }
local PACKAGE <const> = "\32"

-- Returns the parts of an input, from files that may be missing.
local function parts_of(choices, program, other, supplementary)
  local parts = { choices .. compiled.ALL }
  for _, file in ipairs { { program, own }, { other, split }, { supplementary, shared } } do
    local names = file[2]
    local found = file[1] and compiled.sections(file[1], names) or {}
    for i = 1, #names do parts[#parts + 1] = found[i] or "" end
  end
  return parts
end

local function save_compiled(save)
  local dir = shell.tmpdir "split"
  local program <const>, package <const>, common <const> = dir .. "/program", dir .. "/program.dwp", dir .. "/common"
  shell.write(dir .. "/program.c", compiled.INLINED)
  for _, compiler in ipairs { "gcc", "clang" } do
    for version = 4, 5 do
      local flag = "-gdwarf-" .. version
      if compiled.link(dir, compiler, flag, "-gsplit-dwarf", "-ffunction-sections") then
        save(table.unpack(parts_of("\0", program, dir .. "/program.dwo")))
        if shell.run({ "llvm-dwp", "-e", program, "-o", package }, { cwd = dir }).status == 0 then
          save(table.unpack(parts_of(PACKAGE, program, package)))
        end
      end
      if compiled.link(dir, compiler, flag) then
        shell.check { "cp", program, program .. ".too" }
        shell.run { "dwz", "-m", common, program, program .. ".too" }
        save(table.unpack(parts_of("\0", program, nil, shell.exists(common) and common)))
        os.remove(common)
      end
    end
  end
end

local ID <const> = "01234567"

-- Returns an index of a package with one unit, whose parts begin at 0.
local function index_of(version)
  local sections = { 1, 3, 6, 8 }  -- .debug_info, .debug_abbrev, .debug_str_offsets, .debug_rnglists
  return ("<I4I4I4I4"):pack(version, #sections, 1, 2) .. ID .. ("\0"):rep(8) .. ("<I4I4"):pack(1, 0) ..
    ("<I4I4I4I4"):pack(table.unpack(sections)) .. ("\0"):rep(32)
end

-- Returns the parts of a skeleton, whose unit refers to an entry of the supplementary file.
local function crafted(choices)
  local info, abbrev = entries.encode({ version = 5, type = 4, id = ID }, { { "skeleton_unit",
    with = { { 0x76, "string", "a.dwo" }, { "addr_base", "sec_offset", 0 }, { "low", "addr", 0x1000 },
      { "high", "data1", 64 } } } })
  local dwo, dwo_abbrev = entries.encode({ version = 5, type = 5, id = ID }, { { "compile_unit",
    { "subprogram", with = { { "name", "strx1", 0 }, { "low", "addrx", 0 }, { "high", "data1", 32 } },
      { "inlined", with = { { "ranges", "rnglistx", 0 }, { "origin", "GNU_ref_alt", 12 } } } } } })
  local common, common_abbrev = entries.encode({ version = 5, type = 3 }, { { "partial_unit",
    { "subprogram", with = { { "name", "strp", 0 } } } } })
  local ranges = ("<I4I2BBI4I4"):pack(15, 5, 8, 0, 1, 4) .. "\3\0\8\0"
  return { choices .. compiled.ALL, info, abbrev, "", ("<I8"):pack(0x1000), "", "", "", dwo, dwo_abbrev, "f\0",
    ("<I4I2I2I4"):pack(8, 5, 0, 0), ranges, index_of(5), common, common_abbrev, "g\0" }
end

return function(save)
  save_compiled(save)
  save(table.unpack(crafted "\0"))
  save(table.unpack(crafted(PACKAGE)))
end
