/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests to a recorded process, for Lua. lua/gprof/request.lua explains them. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>

#include "lua/module.h"

/* Returns an argument that must be in a range. */
static int check_int(lua_State *L, int index, int low, int high) {
  const lua_Integer number = luaL_checkinteger(L, index);
  luaL_argcheck(L, number >= low && number <= high, index, "number out of range");
  return (int)number;
}

/* queue_signal(process, number, value) -> true, or nil and a message */
static int queue_signal(lua_State *L) {
  const pid_t process = check_int(L, 1, 1, INT_MAX);
  const int number = check_int(L, 2, 0, INT_MAX);
  const union sigval value = {.sival_int = check_int(L, 3, INT_MIN, INT_MAX)};
  if (sigqueue(process, number, value) == 0) {
    lua_pushboolean(L, true);
    return 1;
  }
  luaL_pushfail(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

/* wait(milliseconds) */
static int wait(lua_State *L) {
  const lua_Integer time = luaL_checkinteger(L, 1);
  const struct timespec pause = {time / 1000, time % 1000 * 1000000};
  nanosleep(&pause, NULL);
  return 0;
}

/* error_text(number) -> the description of an errno */
static int error_text(lua_State *L) {
  lua_pushstring(L, strerror(check_int(L, 1, INT_MIN, INT_MAX)));
  return 1;
}

void gp_define_request(lua_State *L) {
  static const luaL_Reg functions[] = {{"queue_signal", queue_signal}, {"wait", wait},
                                       {"error_text", error_text}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
