/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading option tables, and returning failures to Lua. */
#include <errno.h>
#include <string.h>

#include "lua/arguments.h"

/* Whether a value, at stack index `index`, is one of the names. */
static bool is_in(lua_State *L, int index, const char *const names[]) {
  const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  while (text && *names && strcmp(*names, text) != 0) names++;
  return text && *names;
}

void gp_check_keys(lua_State *L, int index, const char *word, const char *const names[]) {
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (is_in(L, -2, names)) continue;
    const char *key = luaL_tolstring(L, -2, NULL);
    luaL_argerror(L, index, lua_pushfstring(L, "no %s '%s'", word, key));
  }
}

bool gp_flag_option(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  bool set = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return set;
}

const char *gp_text_option(lua_State *L, int index, const char *name) {
  if (lua_getfield(L, index, name) != LUA_TNIL && lua_type(L, -1) != LUA_TSTRING)
    luaL_error(L, "option '%s': string expected, got %s", name, luaL_typename(L, -1));
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1);  /* the table keeps the string alive */
  return text;
}

int gp_push_failure(lua_State *L, const char *path, const gp_error *error) {
  const char *name =
      *path == '\0' ? "''" : strcmp(path, "-") == 0 ? "standard input" : path;
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", name, error->text);
  return 2;
}

int gp_push_error(lua_State *L, const gp_error *error) {
  luaL_pushfail(L);
  lua_pushstring(L, error->text);
  return 2;
}

int gp_push_system_failure(lua_State *L, const char *what) {
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", what, strerror(errno));
  return 2;
}

int gp_check_writable(lua_State *L, int index) {
  int file = gp_check_open_file(L, index);
  fflush(((luaL_Stream *)lua_touserdata(L, index))->f);
  return file;
}

int gp_check_open_file(lua_State *L, int index) {
  const luaL_Stream *file = luaL_checkudata(L, index, LUA_FILEHANDLE);
  luaL_argcheck(L, file->closef, index, "file is closed");
  return fileno(file->f);
}
