/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures what a hook costs the interpreter, besides the hook's own time, which samples
 * know (see timer.c): the profile corrects its samples by it.
 */
#include <lauxlib.h>

#include "scripts/recording.h"

enum { TIMES = 1000, RUNS = 15 };

static void do_nothing(lua_State *L, lua_Debug *ar) { (void)L, (void)ar; }

/* Returns the nanoseconds of a run of the function at the top of the stack, with a hook
 * for some events. */
static uint64_t time_of_run(lua_State *L, int events) {
  lua_sethook(L, events ? do_nothing : NULL, events, 0);
  lua_pushvalue(L, -1);
  lua_pushinteger(L, TIMES);
  const uint64_t began = scr_time_of(CLOCK_THREAD_CPUTIME_ID);
  lua_call(L, 1, 0);
  return scr_time_of(CLOCK_THREAD_CPUTIME_ID) - began;
}

static int empty(lua_State *L) { return (void)L, 0; }

/* Returns the nanoseconds by which the hook makes one of TIMES turns of the function that
 * a text returns longer. The text gets an empty C function as its argument. In a state of
 * its own, so the program's is not disturbed. Interrupts make runs longer: the shortest
 * ones count. */
static double cost_of_turn(const char *code, int events) {
  uint64_t plain = UINT64_MAX, hooked = UINT64_MAX;
  lua_State *L = luaL_newstate();
  if (!L) return 0;
  const bool is_loaded = luaL_loadstring(L, code) == LUA_OK;
  lua_pushcfunction(L, empty);
  if (is_loaded && lua_pcall(L, 1, 1, 0) == LUA_OK)
    for (int i = 0; i < RUNS; i++) {
      const uint64_t without = time_of_run(L, 0), with = time_of_run(L, events);
      if (without < plain) plain = without;
      if (with < hooked) hooked = with;
    }
  lua_close(L);
  return hooked > plain ? (double)(hooked - plain) / TIMES : 0;
}

/* The shortest line is measured, since the cost grows with the instructions of a line:
 * none loses more than its cost. */
scr_costs scr_measure_costs(int events) {
  static const char lua_calls[] = "local function f() end "
                                  "return function(n) for _ = 1, n do f() end end";
  static const char c_calls[] = "local f = ... "
                                "return function(n) for _ = 1, n do f() end end";
  static const char lines[] = "return function(n) for _ = 1, n do end end";
  const int calls = events & (LUA_MASKCALL | LUA_MASKRET);
  return (scr_costs){calls ? cost_of_turn(lua_calls, calls) : 0,
                     calls ? cost_of_turn(c_calls, calls) : 0,
                     events & LUA_MASKLINE ? cost_of_turn(lines, LUA_MASKLINE) : 0};
}
