/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conversions that would be slow in Lua: numbers and rows of values to text, for exports;
 * texts to lines. */
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Room for a number with all its digits. */
enum { EXACT_SIZE = 32 };

/* Doubles below this stand for one integer each. */
static const double EXACT = 9007199254740992.0;

/* Puts the number at `index` at `text`, with the fewest digits, 15 to 17, that read back
 * as the same number. Returns the length. */
static size_t put_exact(lua_State *L, int index, char text[EXACT_SIZE]) {
  lua_Number number = lua_tonumber(L, index);
  lua_Integer whole = 0;
  bool is_whole = lua_isinteger(L, index);
  if (is_whole)
    whole = lua_tointeger(L, index);
  else if ((is_whole = fabs(number) < EXACT && number == floor(number)))
    whole = (lua_Integer)number;
  if (is_whole) return (size_t)snprintf(text, EXACT_SIZE, "%lld", (long long)whole);
  if (!isfinite(number)) return (size_t)snprintf(text, EXACT_SIZE, "null");
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(text, EXACT_SIZE, "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  return (size_t)length;
}

/* exact_number(number) -> text; null for infinity and NaN */
static int format_exact(lua_State *L) {
  char text[EXACT_SIZE];
  luaL_checknumber(L, 1);
  lua_pushlstring(L, text, put_exact(L, 1, text));
  return 1;
}

/* join_values(before, text_of, value...) -> text: each string of the array `before`, and
 * after it the value of its place. Numbers are exact; others are what text_of(value)
 * returns. Missing values are nil, and further ones are left out. */
static int join_values(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  int last = (int)lua_rawlen(L, 1) + 2;
  luaL_checkstack(L, last, "too many values");
  lua_settop(L, last);
  luaL_checkstack(L, 8, "too many values");
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (int i = 3; i <= last; i++) {
    char text[EXACT_SIZE];
    lua_rawgeti(L, 1, i - 2);
    luaL_addvalue(&buffer);
    if (lua_type(L, i) == LUA_TNUMBER) {
      luaL_addlstring(&buffer, text, put_exact(L, i, text));
      continue;
    }
    lua_pushvalue(L, 2);
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    luaL_addvalue(&buffer);
  }
  luaL_pushresult(&buffer);
  return 1;
}

/* split_lines(text) -> array of its lines, with their line endings */
static int split_lines(lua_State *L) {
  size_t length;
  const char *line = luaL_checklstring(L, 1, &length), *end = line + length;
  lua_newtable(L);
  for (lua_Integer i = 1; line < end; i++) {
    const char *feed = memchr(line, '\n', (size_t)(end - line));
    const char *next = feed ? feed + 1 : end;
    lua_pushlstring(L, line, (size_t)(next - line));
    lua_rawseti(L, -2, i);
    line = next;
  }
  return 1;
}

/* varints(numbers) -> the integers of an array as varints of protocol buffers: seven bits
 * a byte, the lowest first. */
static int encode_varints(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 1, i);
    uint64_t rest = (uint64_t)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    for (; rest > 127; rest >>= 7) luaL_addchar(&buffer, (char)(rest | 128));
    luaL_addchar(&buffer, (char)rest);
  }
  luaL_pushresult(&buffer);
  return 1;
}

void gp_define_conversions(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"json_number", format_number},  {"json_numbers", format_numbers},
      {"exact_number", format_exact},  {"join_values", join_values},
      {"split_lines", split_lines},    {"varints", encode_varints},
      {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
