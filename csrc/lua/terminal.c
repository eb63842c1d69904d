/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terminals for Lua: detection and width; names shortened to fit. */
#include <errno.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lua/module.h"
#include "lua/memory.h"
#include "symbols/distinct_names.h"

/* is_terminal(file) -> whether a Lua file is a terminal */
static int is_terminal(lua_State *L) {
  const luaL_Stream *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  lua_pushboolean(L, file->closef && isatty(fileno(file->f)));
  return 1;
}

/* The value of an environment variable; 0 if it is not a positive number. */
static lua_Integer number_of_environment(const char *name) {
  const char *value = getenv(name);
  char *end;
  errno = 0;
  long number = value ? strtol(value, &end, 10) : 0;
  return value && *end == '\0' && errno == 0 && number > 0 ? number : 0;
}

/* terminal_width(file) -> columns of a terminal, from COLUMNS or else from the terminal
 * itself; nil if unknown, or if the file is not a terminal */
static int terminal_width(lua_State *L) {
  const luaL_Stream *file = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  struct winsize size = {0};
  lua_Integer width = 0;
  if (file->closef && isatty(fileno(file->f))) {
    width = number_of_environment("COLUMNS");
    if (width == 0 && ioctl(fileno(file->f), TIOCGWINSZ, &size) == 0)
      width = size.ws_col;
  }
  if (width > 0)
    lua_pushinteger(L, width);
  else
    luaL_pushfail(L);
  return 1;
}

/* fit(name, columns, mark) -> the name, shortened to fit in `columns` (see
 * symbols/short_name.h); unchanged if `columns` is 0 or less */
static int fit_name(lua_State *L) {
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  lua_Integer columns = luaL_checkinteger(L, 2);
  const char *mark = luaL_checkstring(L, 3);
  lua_settop(L, 3);
  if (columns > 0) {
    char *out = lua_newuserdatauv(L, gp_fitted_room(length, mark), 0);
    lua_pushlstring(L, out, gp_fit_name(name, length, GP_COMPLETE,
                                        (size_t)columns, mark, NULL, out));
  } else {
    lua_pushvalue(L, 1);
  }
  return 1;
}

static const char *const forms[] = {
    [GP_COMPLETE] = "complete", [GP_WITHOUT_PARAMETERS] = "without parameters",
    [GP_WITHOUT_ARGUMENTS] = "without arguments", NULL};

/* short_name(name [, form]) -> the name in a form of symbols/short_name.h:
 * "without parameters", or by default also without template arguments */
static int short_name(lua_State *L) {
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  int form = luaL_checkoption(L, 2, forms[GP_WITHOUT_ARGUMENTS], forms);
  char *out = lua_newuserdatauv(L, length + 1, 0);
  lua_pushlstring(L, out, gp_shorten_name(name, length, (gp_name_form)form, NULL, out));
  return 1;
}

/* Upvalues: what to show of each name, an array; the names.
 *
 * shorten(number, form, columns, mark) -> the name of this number in the list, in a form
 * of short_name and shortened to fit in `columns`, if these are not nil */
static int fit_distinct_name(lua_State *L) {
  const gp_shown_parts *shown = lua_touserdata(L, lua_upvalueindex(1));
  lua_Integer number = luaL_checkinteger(L, 1);
  int form = luaL_checkoption(L, 2, "complete", forms);
  lua_Integer columns = luaL_optinteger(L, 3, LUA_MAXINTEGER);
  const char *mark = luaL_optstring(L, 4, "\xe2\x80\xa6");
  bool is_known = lua_rawgeti(L, lua_upvalueindex(2), number) == LUA_TSTRING;
  luaL_argcheck(L, is_known, 1, "no such name");
  size_t length;
  const char *name = lua_tolstring(L, -1, &length);
  char *out = lua_newuserdatauv(L, gp_fitted_room(length, mark), 0);
  length = gp_fit_name(name, length, (gp_name_form)form,
                       columns > 0 ? (size_t)columns : 0, mark, &shown[number - 1], out);
  lua_pushlstring(L, out, length);
  return 1;
}

/* distinct_names(list) -> a function that shortens the names of a list, so that different
 * names remain different; see fit_distinct_name */
static int distinct_names(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_Unsigned count = lua_rawlen(L, 1);
  gp_shown_parts *shown = lua_newuserdatauv(L, (count + 1) * sizeof *shown, 0);
  lua_createtable(L, (int)count, 0);  /* a copy, which keeps the strings alive */
  const char **names = lua_newuserdatauv(L, (count + 1) * sizeof *names, 0);
  for (lua_Unsigned i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    names[i] = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    lua_rawseti(L, 3, (lua_Integer)i + 1);
  }
  if (!gp_distinct_names(names, count, shown)) gp_raise_no_memory(L);
  lua_settop(L, 3);
  lua_pushcclosure(L, fit_distinct_name, 2);
  return 1;
}

void gp_define_terminal(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"is_terminal", is_terminal}, {"terminal_width", terminal_width},
      {"fit", fit_name}, {"short_name", short_name},
      {"distinct_names", distinct_names}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
