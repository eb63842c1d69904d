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

#define GP_DISTINCT_NAMES "gprof.distinct_names"

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

/* distinct_names(list) -> an object that shortens the names of a list, so that different
 * names remain different */
static int distinct_names(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_Unsigned count = lua_rawlen(L, 1);
  gp_kept *kept = lua_newuserdatauv(L, (count + 1) * sizeof *kept, 1);
  luaL_setmetatable(L, GP_DISTINCT_NAMES);
  const char **names = lua_newuserdatauv(L, (count + 1) * sizeof *names, 0);
  lua_createtable(L, (int)count, 0);  /* a copy, which keeps the strings alive */
  for (lua_Unsigned i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    names[i] = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  if (!gp_distinct_names(names, count, kept)) gp_raise_no_memory(L);
  lua_setiuservalue(L, 2, 1);
  lua_settop(L, 2);
  return 1;
}

/* names(number, form, columns, mark) -> the name of this number in the list, in a form of
 * short_name and shortened to fit in `columns`, if these are not nil */
static int fit_distinct_name(lua_State *L) {
  const gp_kept *kept = luaL_checkudata(L, 1, GP_DISTINCT_NAMES);
  lua_Integer number = luaL_checkinteger(L, 2);
  int form = luaL_checkoption(L, 3, "complete", forms);
  lua_Integer columns = luaL_optinteger(L, 4, LUA_MAXINTEGER);
  const char *mark = luaL_checkstring(L, 5);
  lua_getiuservalue(L, 1, 1);
  luaL_argcheck(L, number >= 1 && (lua_Unsigned)number <= lua_rawlen(L, -1), 2,
                "no such name");
  lua_rawgeti(L, -1, number);
  size_t length;
  const char *name = luaL_checklstring(L, -1, &length);
  char *out = lua_newuserdatauv(L, gp_fitted_room(length, mark), 0);
  length = gp_fit_name(name, length, (gp_name_form)form,
                       columns > 0 ? (size_t)columns : 0, mark, &kept[number - 1], out);
  lua_pushlstring(L, out, length);
  return 1;
}

void gp_define_terminal(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"is_terminal", is_terminal}, {"terminal_width", terminal_width},
      {"fit", fit_name}, {"short_name", short_name},
      {"distinct_names", distinct_names}, {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__call", fit_distinct_name}, {NULL, NULL}};
  luaL_newmetatable(L, GP_DISTINCT_NAMES);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
