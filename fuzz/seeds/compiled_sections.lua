-- Debugging sections of a C program from gcc and clang, in all versions and widths of DWARF.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local compiled = {}

-- The end of an input's first part. It selects the addresses to look up (see fuzz_choose_ranges): all from 0x1000 on,
-- or some.
compiled.ALL, compiled.SOME = ("\0\255"):rep(8), "\3\9\17\1\0\200"

-- Links the program without libc at address 0x1000; false if the compiler cannot.
local function link(compiler, version, width, dir)
  return shell.run({ compiler, "-nostdlib", "-static", "-Wl,-Ttext=0x1000,-e,main,--build-id=none", "-o", "program",
    "program.c", "-O2", "-gdwarf-" .. version, width }, { cwd = dir }).status == 0
end

local function sections(names, dir)
  local parts = {}
  for i, name in ipairs(names) do
    local path = dir .. "/" .. name
    shell.run { "objcopy", "--dump-section", (".debug_%s=%s"):format(name, path), dir .. "/program", "/dev/null" }
    parts[i] = shell.exists(path) and shell.read(path) or ""
    os.remove(path)
  end
  return parts
end

--- Calls a function with the sections of each program that can be compiled.
-- @tparam string source of the program
-- @tparam {string,...} names of the sections, without ".debug_"
-- @tparam function use takes an array of the sections; "" for a missing one
function compiled.each(source, names, use)
  local dir = shell.tmpdir "sections"
  shell.write(dir .. "/program.c", source)
  for _, compiler in ipairs { "gcc", "clang" } do
    for version = 2, 5 do
      for _, width in ipairs { "-gdwarf32", "-gdwarf64" } do
        if link(compiler, version, width, dir) then use(sections(names, dir)) end
      end
    end
  end
end

return compiled
