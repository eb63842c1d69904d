/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is freed even if Lua raises an error. */
#include <lauxlib.h>
#include <stdlib.h>

#include "lua/memory.h"
#include "lua/module.h"

#define GP_MEMORY "gprof.memory"

static int release(lua_State *L) {
  void **box = luaL_checkudata(L, 1, GP_MEMORY);
  free(*box);
  *box = NULL;
  return 0;
}

void **gp_push_guard(lua_State *L) {
  void **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL;
  luaL_setmetatable(L, GP_MEMORY);
  return box;
}

/* Frees the block, and removes the guard, which is below the top of the stack. */
static void leave_guard(lua_State *L, void **box) {
  free(*box);
  *box = NULL;
  lua_remove(L, -2);
}

_Noreturn int gp_raise_no_memory(lua_State *L) {
  lua_pushliteral(L, "not enough memory");
  for (;;) lua_error(L);  /* never returns, but is not declared _Noreturn */
}

void gp_take_text(lua_State *L, void **guard) {
  if (!*guard) gp_raise_no_memory(L);
  lua_pushstring(L, *guard);
  leave_guard(L, guard);
}

void gp_take_rows(lua_State *L, void **guard, size_t count) {
  const uint32_t *rows = *guard;
  if (!rows) gp_raise_no_memory(L);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushinteger(L, (lua_Integer)rows[i] + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  leave_guard(L, guard);
}

void gp_push_weak_table(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

void gp_define_memory(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {NULL, NULL}};
  luaL_newmetatable(L, GP_MEMORY);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
