/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for Lua: what the core allocated, freed by the collector. */
#include <stdlib.h>

#include "binding.h"

#define GP_MEMORY "gprof.memory"

static int release(lua_State *L) {
  memory_box *box = luaL_checkudata(L, 1, GP_MEMORY);
  free(box->memory);
  box->memory = NULL;
  box->count = 0;
  return 0;
}

memory_box *new_memory(lua_State *L) {
  memory_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->memory = NULL;
  box->count = 0;
  luaL_setmetatable(L, GP_MEMORY);
  return box;
}

void push_and_free(lua_State *L, char *text) {
  memory_box *box = new_memory(L);
  box->memory = text;
  lua_pushstring(L, text);
  free(text);
  box->memory = NULL;
  lua_remove(L, -2);
}

void define_memory(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {"__close", release}, {NULL, NULL}};
  luaL_newmetatable(L, GP_MEMORY);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
