-- Entries of inlined functions, from compilers and crafted ones.
-- SPDX-License-Identifier: GPL-3.0-or-later

local entries = require "support.entries"
local shell = require "support.shell"

local names <const> = { "info", "abbrev", "str", "line_str", "str_offsets", "addr", "ranges", "rnglists", "line" }

local source <const> = [[
static volatile int sink;
static inline int deep(int x) { sink += x; return 2 * x; }
static inline int middle(int x) { return x > 3 ? deep(x) : deep(x + 1); }
int outer(int x) { return x > 5 ? middle(x) : middle(2 * x); }
int main(void) { return outer(2); }
]]

-- The end of an input's first part: the addresses to look up, all from 0x1000 on or some.
local all <const>, some <const> = ("\0\255"):rep(8), "\3\9\17\1\0\200"

-- Links a program without libc at address 0x1000; false if the compiler cannot.
local function link(compiler, flags, dir)
  local words = { compiler, "-nostdlib", "-static", "-Wl,-Ttext=0x1000,-e,main,--build-id=none", "-o", "program",
    "program.c" }
  local result = shell.run(table.move(flags, 1, #flags, #words + 1, words), { cwd = dir })
  return result.status == 0
end

local function sections(dir)
  local parts = {}
  for i, name in ipairs(names) do
    local path = dir .. "/" .. name
    shell.run { "objcopy", "--dump-section", (".debug_%s=%s"):format(name, path), dir .. "/program", "/dev/null" }
    parts[i] = shell.exists(path) and shell.read(path) or ""
    os.remove(path)
  end
  return parts
end

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
  local dir = shell.tmpdir "frames"
  shell.write(dir .. "/program.c", source)
  for _, compiler in ipairs { "gcc", "clang" } do
    for version = 2, 5 do
      for _, width in ipairs { "-gdwarf32", "-gdwarf64" } do
        if link(compiler, { "-O2", "-gdwarf-" .. version, width }, dir) then
          local parts = sections(dir)
          save("\0" .. all, table.unpack(parts))
          save("\16" .. some, table.unpack(parts)) -- compressed sections
        end
      end
    end
  end
  for version = 2, 5 do
    for _, wide in ipairs { false, true } do save("\0" .. all, table.unpack(crafted(version, wide))) end
  end
end
