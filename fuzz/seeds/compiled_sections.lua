-- Debugging sections of a C program from gcc and clang, in all versions and widths of DWARF.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local compiled = {}

-- The end of an input's first part. It selects the addresses to look up (see fuzz_choose_ranges): all from 0x1000 on,
-- or some.
compiled.ALL, compiled.SOME = ("\0\255"):rep(8), "\3\9\17\1\0\200"

--- A program with inlined functions.
compiled.INLINED = [[
static volatile int sink;
static inline int deep(int x) { sink += x; return 2 * x; }
static inline int middle(int x) { return x > 3 ? deep(x) : deep(x + 1); }
int outer(int x) { return x > 5 ? middle(x) : middle(2 * x); }
int main(void) { return outer(2); }
]]

--- Compiles `program.c` and links it without libc, at address 0x1000.
-- @tparam string dir the directory of `program.c`, and of `program`
-- @tparam string compiler
-- @tparam string ... flags
-- @treturn boolean false if the compiler cannot
function compiled.link(dir, compiler, ...)
  local linked = { compiler, "-nostdlib", "-static", "-Wl,-Ttext=0x1000,-e,main,--build-id=none", "-o", "program",
    "program.o" }
  return shell.run({ compiler, "-c", "program.c", "-O2", ... }, { cwd = dir }).status == 0 and
    shell.run(linked, { cwd = dir }).status == 0
end

--- Returns sections of an object file.
-- @tparam string path
-- @tparam {string,...} names without ".debug_"
-- @treturn {string,...} their contents; "" for a missing one
function compiled.sections(path, names)
  local parts, copy = {}, path .. ".section"
  for i, name in ipairs(names) do
    shell.run { "objcopy", "--dump-section", (".debug_%s=%s"):format(name, copy), path, "/dev/null" }
    parts[i] = shell.exists(copy) and shell.read(copy) or ""
    os.remove(copy)
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
        if compiled.link(dir, compiler, "-gdwarf-" .. version, width) then
          use(compiled.sections(dir .. "/program", names))
        end
      end
    end
  end
end

return compiled
