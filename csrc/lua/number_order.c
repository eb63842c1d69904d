/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the numbers in a column, for Lua. */
#include <lauxlib.h>

#include "base/sort.h"
#include "lua/memory.h"
#include "lua/module.h"

static bool is_less_integer(const void *context, uint32_t b, uint32_t a) {
  const lua_Integer *numbers = context;
  return numbers[b] < numbers[a];
}

static bool is_less_number(const void *context, uint32_t b, uint32_t a) {
  const lua_Number *numbers = context;
  return numbers[b] < numbers[a];
}

/* Reads the integers of the array at index 1. Returns false if there are others. */
static bool read_integers(lua_State *L, lua_Integer *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int is_integer = lua_rawgeti(L, 1, (lua_Integer)i + 1) == LUA_TNUMBER &&
                     lua_isinteger(L, -1);
    numbers[i] = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (!is_integer) return false;
  }
  return true;
}

static void read_numbers(lua_State *L, lua_Number *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    numbers[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
}

static bool in_order(gp_before *before, const void *numbers, size_t count) {
  for (uint32_t i = 1; i < count; i++)
    if (before(numbers, i, i - 1)) return false;
  return true;
}

/* number_order(numbers) -> array of their positions, in ascending order of the numbers;
 * equal ones keep their order. Nothing if they are in order */
static int order_numbers(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t count = (size_t)lua_rawlen(L, 1);
  luaL_argcheck(L, count < UINT32_MAX, 1, "too many numbers");
  size_t size = sizeof(lua_Integer) > sizeof(lua_Number) ? sizeof(lua_Integer) :
                                                          sizeof(lua_Number);
  void *numbers = lua_newuserdatauv(L, (count + 1) * size, 0);
  bool integers = read_integers(L, numbers, count);
  if (!integers) read_numbers(L, numbers, count);
  gp_before *before = integers ? is_less_integer : is_less_number;
  if (in_order(before, numbers, count)) return 0;
  uint32_t *rows = lua_newuserdatauv(L, count * sizeof *rows, 0);
  for (size_t i = 0; i < count; i++) rows[i] = (uint32_t)i;
  if (!gp_sort(rows, count, before, numbers)) return gp_raise_no_memory(L);
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
