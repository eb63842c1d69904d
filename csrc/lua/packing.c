/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of numbers as short text, for Lua. */
#include <lauxlib.h>
#include <math.h>

#include "base/compact_number.h"
#include "base/packed_numbers.h"
#include "lua/module.h"

/* Returns the value at a position of the array at index 1; NaN for nil and false. */
static double value_at(lua_State *L, lua_Integer position) {
  lua_rawgeti(L, 1, position);
  double number = lua_toboolean(L, -1) ? luaL_checknumber(L, -1) : NAN;
  lua_pop(L, 1);
  return number;
}

/* Adds integers, or their differences. */
static void add_integers(lua_State *L, luaL_Buffer *buffer, lua_Integer count,
                         bool differs) {
  int64_t last = 0;
  luaL_addchar(buffer, differs ? 'd' : 'i');
  for (lua_Integer i = 1; i <= count; i++) {
    int64_t number = (int64_t)value_at(L, i);
    char *out = luaL_prepbuffsize(buffer, GP_PACKED_SIZE);
    luaL_addsize(buffer, gp_pack_integer(out, number - last));
    if (differs) last = number;
  }
}

/* Adds numbers; false if one of them cannot be packed. */
static bool add_numbers(lua_State *L, luaL_Buffer *buffer, lua_Integer count) {
  luaL_addchar(buffer, 'f');
  for (lua_Integer i = 1; i <= count; i++) {
    double number = value_at(L, i);
    size_t length = gp_pack_number(luaL_prepbuffsize(buffer, GP_PACKED_SIZE), number);
    if (length == 0) return false;
    luaL_addsize(buffer, length);
  }
  return true;
}

/* Whether all values are integers; sets whether their differences are shorter. */
static bool are_integers(lua_State *L, lua_Integer count, bool *differs) {
  size_t plain = 0, differences = 0;
  int64_t last = 0;
  for (lua_Integer i = 1; i <= count; i++) {
    char text[GP_PACKED_SIZE];
    double number = value_at(L, i);
    if (!gp_is_whole(number)) return false;
    plain += gp_pack_integer(text, (int64_t)number);
    differences += gp_pack_integer(text, (int64_t)number - last);
    last = (int64_t)number;
  }
  *differs = differences < plain;
  return true;
}

/* packed_numbers(values, count) -> the first `count` of the values as text, see
 * base/packed_numbers.h; nil if one of them cannot be packed. nil becomes null. */
static int pack_numbers(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer count = luaL_checkinteger(L, 2);
  bool differs, done = true;
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  if (are_integers(L, count, &differs))
    add_integers(L, &buffer, count, differs);
  else
    done = add_numbers(L, &buffer, count);
  luaL_pushresult(&buffer);
  if (!done) lua_pushnil(L);
  return 1;
}

void gp_define_packing(lua_State *L) {
  static const luaL_Reg functions[] = {{"packed_numbers", pack_numbers}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
