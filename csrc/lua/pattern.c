/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of function names for Lua; see symbols/name_pattern.h. */
#include "lua/pattern.h"

#include "lua/arguments.h"
#include "lua/module.h"
#include "lua/object.h"
#include "symbols/clone_suffix.h"

#define GP_PATTERN "gprof.pattern"

const gp_name_pattern *gp_check_pattern(lua_State *L, int index) {
  return luaL_checkudata(L, index, GP_PATTERN);
}

/* pattern(kind, text) -> pattern; or nil and a message */
static int new_pattern(lua_State *L) {
  static const char *const kinds[] = {
      [GP_COMPONENTS] = "components", [GP_GLOB] = "glob", [GP_CLONES] = "clones",
      [GP_REGEX] = "regex", NULL};
  gp_error error = {""};
  int kind = luaL_checkoption(L, 1, NULL, kinds);
  const char *text = luaL_checkstring(L, 2);
  gp_name_pattern *pattern = lua_newuserdatauv(L, sizeof *pattern, 0);
  if (!gp_name_pattern_open(pattern, (gp_pattern_kind)kind, text, &error))
    return gp_push_error(L, &error);
  luaL_setmetatable(L, GP_PATTERN);
  return 1;
}

static int close_pattern(lua_State *L) {
  gp_name_pattern_close(luaL_checkudata(L, 1, GP_PATTERN));
  return 0;
}

/* pattern:matches(name) -> boolean */
static int matches(lua_State *L) {
  size_t length;
  const gp_name_pattern *pattern = gp_check_pattern(L, 1);
  const char *name = luaL_checklstring(L, 2, &length);
  char *scratch = lua_newuserdatauv(L, length + 1, 0);
  lua_pushboolean(L, gp_name_pattern_matches(pattern, name, scratch));
  return 1;
}

/* clone_stem(name) -> the name without the suffixes of a clone; nil if it has none */
static int clone_stem(lua_State *L) {
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  size_t stem = gp_clone_stem(name, length, false);
  if (stem < length)
    lua_pushlstring(L, name, stem);
  else
    lua_pushnil(L);
  return 1;
}

void gp_define_pattern(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", close_pattern}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"matches", matches}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"pattern", new_pattern}, {"clone_stem", clone_stem}, {NULL, NULL}};
  gp_define_object(L, GP_PATTERN, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
