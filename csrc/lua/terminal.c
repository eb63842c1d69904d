/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terminals for Lua: detection, width, and shortening text to fit. */
#include <errno.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8_width.h"
#include "lua/module.h"

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

/* fit(text, columns, mark) -> the text; if it is wider than `columns`, the mark replaces
 * its middle */
static int fit_text(lua_State *L) {
  size_t length, mark_length;
  const char *text = luaL_checklstring(L, 1, &length);
  lua_Integer room = luaL_checkinteger(L, 2);
  const char *mark = luaL_checklstring(L, 3, &mark_length);
  gp_cut cut;
  lua_settop(L, 3);
  if (room < 0 || !gp_utf8_cut(text, length, (size_t)room,
                               gp_utf8_width(mark, mark_length), &cut)) {
    lua_pushvalue(L, 1);
    return 1;
  }
  lua_pushlstring(L, text, cut.head);
  lua_pushvalue(L, 3);
  lua_pushlstring(L, text + cut.tail, length - cut.tail);
  lua_concat(L, 3);
  return 1;
}

void gp_define_terminal(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"is_terminal", is_terminal}, {"terminal_width", terminal_width},
      {"fit", fit_text}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
