/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes numbers and rows of values as JSON, for Lua; see gprof.format.json. */
#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
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

/* Adds the value on the top of the stack to a text, and pops it. */
typedef void add_value(lua_State *L, luaL_Buffer *buffer);

/* Pushes the first `count` values of the table at index 1 as an array. */
static int push_array(lua_State *L, lua_Integer count, add_value *add) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  luaL_addchar(&buffer, '[');
  for (lua_Integer i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&buffer, ',');
    lua_rawgeti(L, 1, i);
    add(L, &buffer);
  }
  luaL_addchar(&buffer, ']');
  luaL_pushresult(&buffer);
  return 1;
}

static void add_number(lua_State *L, luaL_Buffer *buffer) {
  char text[GP_COMPACT_NUMBER_SIZE];
  luaL_addlstring(buffer, text, put_number(L, text));
}

/* json_numbers(values, count) -> the first `count` of the values as an array; see
 * json_number. */
static int format_numbers(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  return push_array(L, luaL_checkinteger(L, 2), add_number);
}

/* The room that gp_columns_integer needs. Numbers with all their digits are shorter. */
enum { EXACT_SIZE = GP_COLUMNS_NUMBER };

/* Replaces the decimal point of the locale in a number. Returns the new length. */
static size_t set_point(char *text) {
  static const char others[] = "0123456789+-e";
  char *point = text + strspn(text, others);
  if (*point) {
    char *fraction = point + strcspn(point, others);
    *point = '.';
    memmove(point + 1, fraction, strlen(fraction) + 1);
  }
  return strlen(text);
}

/* Puts the number at `index` at `text`, with the fewest digits, 15 to 17, that read back
 * as the same number. Returns the length. */
static size_t put_exact(lua_State *L, int index, char text[EXACT_SIZE]) {
  lua_Number number = lua_tonumber(L, index);
  lua_Integer whole = 0;
  bool is_whole = lua_isinteger(L, index);
  if (is_whole)
    whole = lua_tointeger(L, index);
  else if ((is_whole = gp_is_whole(number)))
    whole = (lua_Integer)number;
  const gp_column_style plain = {.precision = -1};
  if (is_whole) return (size_t)(gp_columns_integer(text, whole, plain) - text);
  if (!isfinite(number)) return (size_t)snprintf(text, EXACT_SIZE, "null");
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, EXACT_SIZE, "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  return set_point(text);
}

/* exact_number(number) -> text; null for infinity and NaN */
static int format_exact(lua_State *L) {
  char text[EXACT_SIZE];
  luaL_checknumber(L, 1);
  lua_pushlstring(L, text, put_exact(L, 1, text));
  return 1;
}

/* Whether a string needs no escapes in JSON, and none in HTML if it is for a page: it is
 * printable ASCII without quotation marks and backslashes, and without markup. */
static bool is_plain(const char *text, size_t length, bool in_page) {
  for (const char *p = text; p < text + length; p++) {
    if (*p < ' ' || *p > '~' || *p == '"' || *p == '\\') return false;
    if (in_page && (*p == '<' || *p == '>' || *p == '&')) return false;
  }
  return true;
}

/* Adds a string without escapes. */
static void add_quoted(luaL_Buffer *buffer, const char *text, size_t length) {
  luaL_addchar(buffer, '"');
  luaL_addlstring(buffer, text, length);
  luaL_addchar(buffer, '"');
}

/* Adds what the function at index 2 returns for the value on the top of the stack, and
 * pops the value. */
static void add_formatted(lua_State *L, luaL_Buffer *buffer) {
  lua_pushvalue(L, 2);
  lua_insert(L, -2);
  lua_call(L, 1, 1);
  luaL_addvalue(buffer);
}

/* Adds the value on the top of the stack as JSON, and pops it; the caller has it in
 * another place, too. Numbers are exact; strings that need escapes, and other values, are
 * what the function at index 2 returns. */
static void add_json(lua_State *L, luaL_Buffer *buffer) {
  size_t length;
  char number[EXACT_SIZE];
  const char *text;
  switch (lua_type(L, -1)) {
    case LUA_TNUMBER:
      length = put_exact(L, -1, number);
      lua_pop(L, 1);
      luaL_addlstring(buffer, number, length);
      return;
    case LUA_TSTRING:
      text = lua_tolstring(L, -1, &length);
      if (!is_plain(text, length, false)) break;
      lua_pop(L, 1);
      add_quoted(buffer, text, length);
      return;
  }
  add_formatted(L, buffer);
}

/* json_fields(before, text_of, value...) -> text: each string of the array `before`, and
 * after it the value of its place, see add_json. Missing values are nil, and further ones
 * are left out. */
static int join_fields(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  int last = (int)lua_rawlen(L, 1) + 2;
  luaL_checkstack(L, last, "too many values");
  lua_settop(L, last);
  luaL_checkstack(L, 8, "too many values");
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (int i = 3; i <= last; i++) {
    lua_rawgeti(L, 1, i - 2);
    luaL_addvalue(&buffer);
    lua_pushvalue(L, i);
    add_json(L, &buffer);
  }
  luaL_pushresult(&buffer);
  return 1;
}

/* json_array(values, text_of) -> text: the values of an array, see add_json, separated by
 * commas. */
static int join_array(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  for (lua_Integer i = 1; i <= count; i++) {
    if (i > 1) luaL_addlstring(&buffer, ", ", 2);
    lua_rawgeti(L, 1, i);
    add_json(L, &buffer);
  }
  luaL_pushresult(&buffer);
  return 1;
}

/* Adds a value of json_strings, which is on the top of the stack, and pops it. */
static void add_page_value(lua_State *L, luaL_Buffer *buffer) {
  size_t length = 0;
  bool is_string = lua_type(L, -1) == LUA_TSTRING;
  const char *text = is_string ? lua_tolstring(L, -1, &length) : NULL;
  if (is_string && !is_plain(text, length, true)) {
    add_formatted(L, buffer);
  } else if (lua_type(L, -1) == LUA_TNUMBER) {
    char number[GP_COMPACT_NUMBER_SIZE];
    luaL_addlstring(buffer, number, put_number(L, number));
  } else {
    lua_pop(L, 1);  /* the array has it, too */
    if (is_string)
      add_quoted(buffer, text, length);
    else
      luaL_addlstring(buffer, "null", 4);
  }
}

/* json_strings(values, text_of, count) -> the first `count` of the values as an array for
 * a page. Strings that need escapes are what text_of(value) returns, numbers what
 * json_number returns, others null. */
static int format_strings(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  return push_array(L, luaL_checkinteger(L, 3), add_page_value);
}

void gp_define_json(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"json_number", format_number},  {"json_numbers", format_numbers},
      {"exact_number", format_exact},  {"json_fields", join_fields},
      {"json_array", join_array},      {"json_strings", format_strings},
      {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
