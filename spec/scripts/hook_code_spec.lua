-- The interpreter's code that runs only because a hook is set: samples in it are the recorder's.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"

local SOURCE <const> = [[
#include "scripts/hook_code.c"

static void hook(lua_State *L, lua_Debug *ar) { (void)L, (void)ar; }

static int at(lua_State *L, const scr_hook_code *code, uintptr_t address) {
  lua_pushboolean(L, scr_is_hook_code(code, address));
  return 1;
}

/* Returns the number of functions; whether the hook, the byte before it, the byte after a function, and functions that
 * run without hooks are hook code. */
static int find(lua_State *L) {
  const scr_hook_code code = scr_find_hook_code((int)luaL_checkinteger(L, 1), (uintptr_t)hook);
  lua_pushinteger(L, code.count);
  at(L, &code, (uintptr_t)hook);
  at(L, &code, (uintptr_t)hook - 1);
  at(L, &(scr_hook_code){{code.list[0]}, 1}, code.list[0].high);
  at(L, &code, (uintptr_t)lua_tocfunction(L, 2));
  return 5;
}

int luaopen_found(lua_State *L) {
  lua_pushcfunction(L, find);
  return 1;
}
]]

describe("the code of hooks", function()
  if os.getenv "GPROF_LUA" then return end -- another interpreter

  local find
  setup(function()
    local dir = shell.tmpdir "found"
    shell.write(dir .. "/found.c", SOURCE)
    shell.check { "gcc", "-O2", "-shared", "-fPIC", "-I" .. program.root .. "/csrc", "-I/usr/include/lua5.4", "-o",
      dir .. "/found.so", dir .. "/found.c" }
    find = assert(package.loadlib(dir .. "/found.so", "luaopen_found"))()
  end)

  it("is found for hooks of calls, and of lines, which Lua looks for after each call", function()
    for _, events in ipairs { 1 | 2, 1 | 2 | 4 } do
      local count, hook, before, after, other = find(events, type)
      assert.is_true(count >= 4, count) -- one that calls hooks, one for calls, one for lines, and the hook
      assert.same({ true, false, false, false }, { hook, before, after, other })
    end
  end)

  it("has the function that looks for the line of an instruction", function()
    assert.is_true(find(1 | 2 | 4, type) > find(1 | 2, type))
  end)

  it("is none without hooks", function()
    assert.same({ 0, false, false, false, false }, { find(0, type) })
  end)
end)
