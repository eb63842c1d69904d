/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of inclusive times for figures from Lua, such as those of a saved profile. */
#include "profile/bounds/call_bounds.h"

#include <math.h>

#include "lua/arguments.h"
#include "lua/module.h"

/* Pushes memory for a column, which is garbage that Lua collects. */
static void *push_column(lua_State *L, size_t rows, size_t size) {
  return lua_newuserdatauv(L, (rows + 1) * size, 0);
}

static double *push_numbers(lua_State *L, int array) {
  size_t rows = lua_rawlen(L, array);
  double *column = push_column(L, rows, sizeof *column);
  for (size_t i = 0; i < rows; i++) {
    lua_rawgeti(L, array, (lua_Integer)i + 1);
    column[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  return column;
}

/* Counts may be means, which have fractions. */
static uint64_t *push_counts(lua_State *L, int array) {
  size_t rows = lua_rawlen(L, array);
  uint64_t *column = push_column(L, rows, sizeof *column);
  for (size_t i = 0; i < rows; i++) {
    lua_rawgeti(L, array, (lua_Integer)i + 1);
    double count = round(luaL_checknumber(L, -1));
    luaL_argcheck(L, count >= 0 && count < 0x1p63, array, "not a count");
    column[i] = (uint64_t)count;
    lua_pop(L, 1);
  }
  return column;
}

static uint32_t *push_functions(lua_State *L, int array, size_t functions) {
  size_t rows = lua_rawlen(L, array);
  uint32_t *column = push_column(L, rows, sizeof *column);
  for (size_t i = 0; i < rows; i++) {
    lua_rawgeti(L, array, (lua_Integer)i + 1);
    lua_Integer function = luaL_checkinteger(L, -1);
    luaL_argcheck(L, function >= 1 && (size_t)function <= functions, array,
                  "not a function");
    column[i] = (uint32_t)(function - 1);
    lua_pop(L, 1);
  }
  return column;
}

static void push_table(lua_State *L, const double *column, size_t rows) {
  lua_newtable(L);
  for (size_t i = 0; i < rows; i++) {
    lua_pushnumber(L, column[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* call_bounds(self, calls, callers, callees, counts) -> the least and the most time in
 * each function and its callees, two arrays. The arguments are arrays: two with a value
 * for each function, three with one for each arc; functions are numbered from 1. */
static int call_bounds(lua_State *L) {
  enum { SELF = 1, CALLS, CALLERS, CALLEES, COUNTS };
  for (int i = SELF; i <= COUNTS; i++) luaL_checktype(L, i, LUA_TTABLE);
  lua_settop(L, COUNTS);
  gp_recorded_calls recorded = {.functions = lua_rawlen(L, SELF),
                                .arcs = lua_rawlen(L, CALLERS)};
  luaL_argcheck(L, lua_rawlen(L, CALLS) == recorded.functions, CALLS, "wrong length");
  luaL_argcheck(L, recorded.functions < UINT32_MAX, SELF, "too long");
  for (int i = CALLEES; i <= COUNTS; i++)
    luaL_argcheck(L, lua_rawlen(L, i) == recorded.arcs, i, "wrong length");
  recorded.self = push_numbers(L, SELF);
  recorded.calls = push_counts(L, CALLS);
  recorded.caller = push_functions(L, CALLERS, recorded.functions);
  recorded.callee = push_functions(L, CALLEES, recorded.functions);
  recorded.count = push_counts(L, COUNTS);
  double *low = push_column(L, recorded.functions, sizeof *low);
  double *high = push_column(L, recorded.functions, sizeof *high);
  gp_error error = {""};
  if (!gp_call_bounds_find(&recorded, low, high, &error))
    return luaL_error(L, "%s", error.text);
  push_table(L, low, recorded.functions);
  push_table(L, high, recorded.functions);
  return 2;
}

void gp_define_call_bounds(lua_State *L) {
  static const luaL_Reg module[] = {{"call_bounds", call_bounds}, {NULL, NULL}};
  luaL_setfuncs(L, module, 0);
}
