/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits source files into lines, for Lua; see gprof.library.files.source_text. */
#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "lua/module.h"

/* The largest of the numbers in a set; 0 if it is empty. */
static lua_Integer last_of(lua_State *L, int set) {
  lua_Integer last = 0;
  for (lua_pushnil(L); lua_next(L, set); lua_pop(L, 1))
    if (lua_tointeger(L, -2) > last) last = lua_tointeger(L, -2);
  return last;
}

static bool is_chosen(lua_State *L, int set, lua_Integer number) {
  bool chosen = lua_rawgeti(L, set, number) != LUA_TNIL;
  lua_pop(L, 1);
  return chosen;
}

/* split_lines(text [, chosen]) -> array of its lines, with their line endings; their
 * number. With `chosen`, a set of line numbers, other lines are left out */
static int split_lines(lua_State *L) {
  size_t length;
  const char *line = luaL_checklstring(L, 1, &length), *end = line + length;
  bool all = lua_isnoneornil(L, 2);
  lua_settop(L, 2);
  if (!all) luaL_checktype(L, 2, LUA_TTABLE);
  lua_Integer count = 0, last = all ? 0 : last_of(L, 2);
  lua_newtable(L);
  while (line < end) {
    const char *feed = memchr(line, '\n', (size_t)(end - line));
    const char *next = feed ? feed + 1 : end;
    count++;
    if (all || (count <= last && is_chosen(L, 2, count))) {
      lua_pushlstring(L, line, (size_t)(next - line));
      lua_rawseti(L, 3, count);
    }
    line = next;
  }
  lua_pushinteger(L, count);
  return 2;
}

void gp_define_source_text(lua_State *L) {
  static const luaL_Reg functions[] = {{"split_lines", split_lines}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
