/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the numbers in a column, for Lua. */
#include <lauxlib.h>

#include "base/sort.h"
#include "lua/memory.h"
#include "lua/module.h"

static bool is_less(const void *context, uint32_t b, uint32_t a) {
  const lua_Integer *numbers = context;
  return numbers[b] < numbers[a];
}

/* number_order(integers) -> array of their positions, in ascending order of the integers;
 * equal ones keep their order. Nothing if they are in order */
static int order_numbers(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t count = (size_t)lua_rawlen(L, 1);
  luaL_argcheck(L, count < UINT32_MAX, 1, "too many numbers");
  lua_Integer *numbers = lua_newuserdatauv(L, (count + 1) * sizeof *numbers, 0);
  uint32_t *rows = lua_newuserdatauv(L, (count + 1) * sizeof *rows, 0);
  bool in_order = true;
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    numbers[i] = luaL_checkinteger(L, -1);
    rows[i] = (uint32_t)i;
    in_order = in_order && (i == 0 || numbers[i - 1] <= numbers[i]);
    lua_pop(L, 1);
  }
  if (in_order) return 0;
  if (!gp_sort(rows, count, is_less, numbers)) return gp_raise_no_memory(L);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushinteger(L, (lua_Integer)rows[i] + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

void gp_define_number_order(lua_State *L) {
  static const luaL_Reg functions[] = {{"number_order", order_numbers}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
