/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures what a hook costs the interpreter, besides the hook's own time, which samples
 * know (see timer.c): the profile corrects its samples by it.
 */
#include <lauxlib.h>

#include "scripts/recording.h"

enum { CALLS = 1000, RUNS = 15 };

static void do_nothing(lua_State *L, lua_Debug *ar) { (void)L, (void)ar; }

/* Returns the nanoseconds of a run of the function at the top of the stack. */
static uint64_t time_of_run(lua_State *L, lua_Hook hook) {
  lua_sethook(L, hook, hook ? LUA_MASKCALL | LUA_MASKRET : 0, 0);
  lua_pushvalue(L, -1);
  lua_pushinteger(L, CALLS);
  const uint64_t began = scr_time_of(CLOCK_THREAD_CPUTIME_ID);
  lua_call(L, 1, 0);
  return scr_time_of(CLOCK_THREAD_CPUTIME_ID) - began;
}

/* In a state of its own, so the program's is not disturbed. Interrupts make runs longer:
 * the shortest ones count. */
double scr_call_cost(void) {
  static const char code[] =
      "local function f() end return function(n) for _ = 1, n do f() end end";
  uint64_t plain = UINT64_MAX, hooked = UINT64_MAX;
  lua_State *L = luaL_newstate();
  if (!L) return 0;
  if (luaL_dostring(L, code) == LUA_OK)
    for (int i = 0; i < RUNS; i++) {
      const uint64_t without = time_of_run(L, NULL), with = time_of_run(L, do_nothing);
      if (without < plain) plain = without;
      if (with < hooked) hooked = with;
    }
  lua_close(L);
  return hooked > plain ? (double)(hooked - plain) / CALLS : 0;
}
