/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers, and arrays of them, as JSON, for Lua. */
#include <lauxlib.h>
#include <stdbool.h>

#include "base/compact_number.h"
#include "lua/module.h"

/* Appends the number on the top of the stack, and pops it. The buffer's own value must be
 * on the top while the buffer grows. */
static void add_number(lua_State *L, luaL_Buffer *buffer) {
  bool missing = !lua_toboolean(L, -1);
  double number = missing ? 0 : luaL_checknumber(L, -1);
  lua_pop(L, 1);
  if (missing) {
    luaL_addstring(buffer, "null");
    return;
  }
  char *text = luaL_prepbuffsize(buffer, GP_COMPACT_NUMBER_SIZE);
  luaL_addsize(buffer, gp_compact_number(text, number));
}

/* json_number(value) -> text; null for nil. gp_compact_number says how numbers are
 * rounded. */
static int format_number(lua_State *L) {
  char text[GP_COMPACT_NUMBER_SIZE];
  if (lua_isnoneornil(L, 1))
    lua_pushliteral(L, "null");
  else
    lua_pushlstring(L, text, gp_compact_number(text, luaL_checknumber(L, 1)));
  return 1;
}

/* json_numbers(values, count) -> the first `count` of the values as an array; see
 * json_number. */
static int format_numbers(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer count = luaL_checkinteger(L, 2);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addchar(&buffer, '[');
  for (lua_Integer i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&buffer, ',');
    lua_rawgeti(L, 1, i);
    add_number(L, &buffer);
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
