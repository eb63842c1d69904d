/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers, and arrays of them, as JSON, for Lua. */
#include <lauxlib.h>
#include <math.h>

#include "base/compact_number.h"
#include "lua/module.h"

/* Puts the number on the top of the stack at `text`, and pops it; null for nil and false.
 * Returns the length. */
static size_t put_number(lua_State *L, char text[GP_COMPACT_NUMBER_SIZE]) {
  double number = lua_toboolean(L, -1) ? luaL_checknumber(L, -1) : NAN;
  lua_pop(L, 1);
  return gp_compact_number(text, number);
}

/* json_number(value) -> text; null for nil. gp_compact_number says how numbers are
 * rounded. */
static int format_number(lua_State *L) {
  char text[GP_COMPACT_NUMBER_SIZE];
  lua_settop(L, 1);
  lua_pushlstring(L, text, put_number(L, text));
  return 1;
}

/* json_numbers(values, count) -> the first `count` of the values as an array; see
 * json_number. */
static int format_numbers(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer count = luaL_checkinteger(L, 2);
  char text[GP_COMPACT_NUMBER_SIZE];
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addchar(&buffer, '[');
  for (lua_Integer i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&buffer, ',');
    lua_rawgeti(L, 1, i);
    luaL_addlstring(&buffer, text, put_number(L, text));
  }
  luaL_addchar(&buffer, ']');
  luaL_pushresult(&buffer);
  return 1;
}

void gp_define_json(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"json_number", format_number}, {"json_numbers", format_numbers}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
