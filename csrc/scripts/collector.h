/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether Lua's garbage collector works: so samples in it have a row of their own.
 *
 * Three bytes of a state say so: gcstate, gckind and gcstopem of Lua 5.4.3 to 5.4.8.
 * Where they are is found by watching a state of our own, so the interpreter needs no
 * symbols. If no bytes behave as expected, the collector is not known: its time is that
 * of the function that runs. So is the time of finalizers, and of the first part of a
 * collection in generational mode.
 */
#ifndef GPROF_SCRIPTS_COLLECTOR_H
#define GPROF_SCRIPTS_COLLECTOR_H

#include <lua.h>
#include <stdbool.h>

/* The bytes: the phase of a cycle, the mode, and whether an incremental step works. */
enum { SCR_PHASE, SCR_MODE, SCR_WORKS, SCR_COLLECTOR_BYTES };
enum { SCR_ATOMIC = 2, SCR_SWEEP = 3, SCR_GENERATIONAL = 1 };

/* Returns the bytes of a state, or others that say that the collector never works. */
const volatile unsigned char *scr_collector(lua_State *L);

/* In incremental mode, a cycle is in the phase of sweeping also between two steps. */
static inline bool scr_collects(const volatile unsigned char *bytes) {
  const unsigned char phase = bytes[SCR_PHASE];
  return bytes[SCR_WORKS] == 1 || phase == SCR_ATOMIC ||
         (phase == SCR_SWEEP && bytes[SCR_MODE] == SCR_GENERATIONAL);
}

/* Stands for the collector among the functions of a program. */
int scr_collector_function(lua_State *L);
#define SCR_COLLECTOR "garbage collector"

#endif
