/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows for Lua: columns of numbers that the collector frees, and iterators. */
#include <stdlib.h>

#include "binding.h"

#define GP_ROWS "gprof.rows"

static int release(lua_State *L) {
  rows_box *box = luaL_checkudata(L, 1, GP_ROWS);
  free(box->rows);
  box->rows = NULL;
  box->count = 0;
  return 0;
}

rows_box *new_rows(lua_State *L) {
  rows_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->rows = NULL;
  box->count = 0;
  luaL_setmetatable(L, GP_ROWS);
  return box;
}

typedef struct row_pusher {
  void (*push)(lua_State *L, int profile, uint32_t row);
} row_pusher;

/* Upvalues: the profile, the rows, the number of rows done, how to push one. */
static int next_row(lua_State *L) {
  const rows_box *box = lua_touserdata(L, lua_upvalueindex(2));
  size_t done = (size_t)lua_tointeger(L, lua_upvalueindex(3));
  const row_pusher *pusher = lua_touserdata(L, lua_upvalueindex(4));
  if (done >= box->count) return 0;
  lua_pushinteger(L, (lua_Integer)(done + 1));
  lua_replace(L, lua_upvalueindex(3));
  pusher->push(L, lua_upvalueindex(1), box->rows[done]);
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

void define_rows(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {"__close", release}, {NULL, NULL}};
  luaL_newmetatable(L, GP_ROWS);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
