/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for Lua: what the core allocated, freed by the collector; iterators over it. */
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

typedef struct row_pusher {
  void (*push)(lua_State *L, int profile, uint32_t row);
} row_pusher;

/* Upvalues: the profile, the rows, the number of rows done, how to push one. */
static int next_row(lua_State *L) {
  const memory_box *box = lua_touserdata(L, lua_upvalueindex(2));
  size_t done = (size_t)lua_tointeger(L, lua_upvalueindex(3));
  const row_pusher *pusher = lua_touserdata(L, lua_upvalueindex(4));
  if (done >= box->count) return 0;
  lua_pushinteger(L, (lua_Integer)(done + 1));
  lua_replace(L, lua_upvalueindex(3));
  pusher->push(L, lua_upvalueindex(1), ((const uint32_t *)box->memory)[done]);
  return 1;
}

int push_rows_iterator(lua_State *L, int profile,
                       void (*push)(lua_State *L, int profile, uint32_t row)) {
  int rows = lua_gettop(L);
  lua_pushvalue(L, profile);
  lua_pushvalue(L, rows);
  lua_pushinteger(L, 0);
  row_pusher *pusher = lua_newuserdatauv(L, sizeof *pusher, 0);
  pusher->push = push;
  lua_pushcclosure(L, next_row, 4);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, rows);  /* closed when the loop is left */
  return 4;
}

void define_memory(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {"__close", release}, {NULL, NULL}};
  luaL_newmetatable(L, GP_MEMORY);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
