/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of the recorded Lua program (see lua_frames.h), for the rest of the recorder.
 * While there is one, gprof.hooks takes the profile, and the recorder writes none.
 */
#ifndef GPROF_RUNTIME_LUA_TICKS_H
#define GPROF_RUNTIME_LUA_TICKS_H

#include "runtime/lua_program.h"
#include "runtime/modules.h"
#include "runtime/table.h"

typedef struct lua_program {
  thread *table;            /* of the program's thread; NULL: none is recorded */
  bool paused;              /* gprof_lua_switch */
  const module *interpreter, *hook; /* the modules with their code */
  gprof_lua_program of;
} lua_program;

HIDDEN extern lua_program rec_lua;

static inline bool rec_records_lua(void) { return rec_lua.table; }

static inline bool rec_is_lua(const slot *s) {
  return s->returns == 0 && gprof_lua_has(s->call->self);
}

/* Takes ticks at the address `at`, in the function of slot `*running`, if gprof.hooks
 * will add them to a line of the Lua program, or if they are not shown. Returns false if
 * the caller adds them. `*running` becomes the slot of the function that contains `at` if
 * an error has ended the Lua functions that it called. */
bool rec_take_lua_tick(thread *t, slot **running, uintptr_t at, uint64_t ticks);

/* Ends the recording in a forked child, which writes no profile. */
void rec_forget_lua(void);

#endif
