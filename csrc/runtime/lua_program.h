/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the recorder and the module gprof.hooks (csrc/scripts) both know of a Lua program.
 *
 * The addresses of Lua functions and their lines are numbers that no code can have.
 */
#ifndef GPROF_RUNTIME_LUA_PROGRAM_H
#define GPROF_RUNTIME_LUA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define GPROF_LUA_LOW (UINT64_C(1) << 62)
#define GPROF_LUA_SIZE (UINT64_C(1) << 56)
#define GPROF_LUA_LINE_BITS 24

/* Returns the address of a line of a function; line 0 is the function's own address. */
static inline uint64_t gprof_lua_address(uint32_t function, uint32_t line) {
  const uint32_t most = (UINT32_C(1) << GPROF_LUA_LINE_BITS) - 1;
  return GPROF_LUA_LOW + ((uint64_t)function << GPROF_LUA_LINE_BITS) +
         (line < most ? line : most);
}

static inline bool gprof_lua_has(uint64_t address) {
  return address - GPROF_LUA_LOW < GPROF_LUA_SIZE;
}

/* Is called in signal handlers. Adds ticks at an address in the interpreter to the
 * function and line that it runs; returns false if they are the hook's. */
typedef bool gprof_lua_tick(uintptr_t at, uint64_t ticks);

typedef struct gprof_lua_program {
  uintptr_t interpreter;        /* an address in the interpreter's code */
  uintptr_t hook;               /* an address in the hook's */
  const volatile bool *in_hook; /* whether the thread runs the hook, whose time is not
                                   shown */
  bool leaves_environment;      /* whether to take the recorder out of the environment,
                                   where it stayed to pass wrapper scripts */
  gprof_lua_tick *tick;
} gprof_lua_program;

#endif
