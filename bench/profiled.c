/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A Lua interpreter for profiling: `profiled SCRIPT [ARGUMENT...]`.
 *
 * A gmon.out covers only the executable. So everything is linked statically: Lua, the modules
 * of the core (compiled with -pg), libbfd and the C library.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

int luaopen_gprof_core(lua_State *L);
int luaopen_gprof_opcodes(lua_State *L);

static void preload(lua_State *L, const char *name, lua_CFunction open) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, open);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (!L || argc < 2) return 2;
  luaL_openlibs(L);
  preload(L, "gprof.core", luaopen_gprof_core);
  preload(L, "gprof.opcodes", luaopen_gprof_opcodes);
  lua_createtable(L, argc, 0);
  for (int i = 1; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
  if (luaL_dofile(L, argv[1]) == LUA_OK) return 0;
  fprintf(stderr, "profiled: %s\n", luaL_tolstring(L, -1, NULL));
  return 1;
}
