-- Sections of C++ programs from compilers, linked at the addresses that debugging.c assumes, and changed layouts.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local source <const> = [[
struct owner { ~owner(); };
void may_throw(int);
int several(int x) {
  owner first;
  try { may_throw(x); owner second; may_throw(x + 1); } catch (int y) { return y; } catch (...) { may_throw(2); }
  return 0;
}
int one(int x) { owner first; may_throw(x); return x; }
]]

-- Code that is compiled without exceptions: `main`, and stubs of the C++ runtime, so that the program links with
-- -nostdlib.
local rest <const> = [[
struct owner { ~owner(); };
owner::~owner() {}
void may_throw(int) {}
extern "C" { int __gxx_personality_v0; void __cxa_begin_catch() {} void __cxa_end_catch() {} void _Unwind_Resume() {}
void __cxa_call_unexpected() {} void __clang_call_terminate() {} }
namespace std { void terminate() {} }
void *typeinfo_for_int __asm__("_ZTIi");
int main() { return 0; }
]]

-- Returns .eh_frame and .gcc_except_table of a program; nil if the compiler cannot make it.
local function sections(dir, compiler, flags)
  local function run(...)
    return shell.run({ compiler, "-O1", "-fno-pic", "-no-pie", ... }, { cwd = dir }).status == 0
  end
  local linked = run("-fexceptions", "-c", "-o", "source.o", "source.cc", table.unpack(flags)) and
    run("-fno-exceptions", "-c", "-o", "rest.o", "rest.cc") and run("-nostdlib", "-static", "-o", "program",
    "-Wl,--section-start=.eh_frame=0x2000,--section-start=.gcc_except_table=0x3000,-e,main,--build-id=none",
    "source.o", "rest.o")
  if not linked then return end
  local parts = {}
  for i, name in ipairs { ".eh_frame", ".gcc_except_table" } do
    local path = ("%s/section-%d"):format(dir, i)
    shell.check { "objcopy", "--dump-section", name .. "=" .. path, dir .. "/program", "/dev/null" }
    parts[i] = shell.read(path)
  end
  return parts
end

return function(save)
  local dir = shell.tmpdir "pads"
  shell.write(dir .. "/source.cc", source)
  shell.write(dir .. "/rest.cc", rest)
  for _, compiler in ipairs { "g++", "clang++" } do
    for _, flags in ipairs { {}, { "-fno-asynchronous-unwind-tables" }, { "-mcmodel=large" }, { "-fpic" } } do
      local parts = sections(dir, compiler, flags)
      for choices = 0, parts and 3 or -1 do
        save(string.char(choices), parts[1], parts[2])
        save(string.char(choices), parts[1]:sub(1, 40), parts[2])
      end
    end
  end
end
