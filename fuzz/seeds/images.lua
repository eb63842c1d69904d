-- Small object files: linked, unlinked, shared, stripped, with notes and links, with MiniDebugInfo.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local source <const> = [[
__attribute__((weak)) void mcount(void);
static int helper(int x) { return x + 1; }
int work(int x) { return helper(x) * 2; }
int main(void) { if (mcount) mcount(); return work(3); }
]]

local variants <const> = {
  { "-c" }, { "-c", "-m32" }, { "-static", "-Wl,--build-id=sha1" }, { "-static", "-Wl,--build-id=none", "-g1" },
  { "-shared", "-fPIC", "-Wl,-soname,libsmall.so,--hash-style=sysv,-z,norelro,-z,max-page-size=16" },
  { "-c", "-ffunction-sections" },
}

-- Compiles the source without the C library; nil if the compiler cannot.
local function compile(dir, flags)
  local words = { "gcc", "-O0", "-nostdlib", "-fno-asynchronous-unwind-tables", "-Wl,-e,main,-n,-z,noseparate-code",
    "-o", "image", "source.c" }
  table.move(flags, 1, #flags, #words + 1, words)
  if shell.run(words, { cwd = dir }).status ~= 0 then return end
  shell.check({ "objcopy", "-R", ".comment", "-R", ".note.gnu.property", "image" }, { cwd = dir })
  return shell.read(dir .. "/image")
end

-- Returns the image with what objcopy changes.
local function changed(dir, ...)
  local words = { "objcopy", ... }
  shell.check(table.move({ "image", "changed" }, 1, 2, #words + 1, words), { cwd = dir })
  return shell.read(dir .. "/changed")
end

return function(save)
  local dir = shell.tmpdir "images"
  shell.write(dir .. "/source.c", source)
  shell.write(dir .. "/packed", "packed")
  for _, flags in ipairs(variants) do
    local image = compile(dir, flags)
    if image then
      local mini = changed(dir, "-S", "--add-section", ".gnu_debugdata=packed")
      save("", image, "")
      save("", mini, image)
      save("", changed(dir, "--add-gnu-debuglink=packed"), "")
      save("", changed(dir, "--strip-all"), "")
    end
  end
  for _, target in ipairs { "elf32-big", "pei-x86-64", "srec" } do
    local made = shell.run({ "objcopy", "-I", "binary", "-O", target, "--rename-section", ".data=.text,code", "packed",
      "changed" }, { cwd = dir })
    if made.status == 0 then save("", shell.read(dir .. "/changed"), "") end
  end
end
