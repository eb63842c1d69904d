-- Debugging sections from compilers, and crafted ones.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "seeds.crafted_lines"
local shell = require "support.shell"

local names <const> = { "info", "abbrev", "line", "str", "line_str", "str_offsets" }

local source <const> = [[
static inline int twice(int x) { return 2 * x; }
#line 7 "other.h"
int more(int x) { return x > 3 ? twice(x) : x + 1; }
int main(void) { return more(2); }
]]

-- The end of an input's first part. It selects the addresses to look up (see targets/lines.c): all from 0x1000 on, or
-- some.
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

return function(save)
  local dir = shell.tmpdir "lines"
  shell.write(dir .. "/program.c", source)
  for _, compiler in ipairs { "gcc", "clang" } do
    for version = 2, 5 do
      for _, width in ipairs { "-gdwarf32", "-gdwarf64" } do
        if link(compiler, { "-O2", "-gdwarf-" .. version, width }, dir) then
          local parts = sections(dir)
          save("\0\0" .. all, table.unpack(parts))
          save("\16\1" .. some, table.unpack(parts)) -- compressed sections; as_libbfd
        end
      end
    end
  end
  for choices = 0, 3 do
    for version = 2, 5 do
      for _, wide in ipairs { false, true } do
        local parts = crafted { big = choices & 1 ~= 0, pointer = choices & 2 ~= 0 and 4 or 8, version = version,
          wide = wide }
        save(string.char(choices | (version == 2 and 4 or 0), version & 1) .. all, table.unpack(parts))
      end
    end
  end
end
