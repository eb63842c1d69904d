/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of a Lua program on the shadow stack, so that one tree of call paths has
 * Lua and C functions. The module gprof.hooks (csrc/scripts) calls the functions below,
 * on the thread that runs the program.
 *
 * A Lua slot stands for all Lua functions that one invocation of the interpreter runs:
 * its call is that of the innermost of them. A C function that they call, and that is
 * recorded, has its slot above. If it calls the interpreter again, another Lua slot
 * follows. Such slots have no return address, like those of functions that announce their
 * end (see instrumented.c), and the frame of the slot below. An error in Lua code leaves
 * Lua slots behind, until gprof.hooks removes them or a function below them is seen to
 * run.
 */
#ifndef GPROF_RUNTIME_LUA_FRAMES_H
#define GPROF_RUNTIME_LUA_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/lua_program.h"
#include "runtime/visibility.h"

/* A function that runs. */
typedef struct gprof_lua_frame {
  void *call;      /* the record of its call; NULL: none, at the start of a stack */
  uint32_t slot;   /* number of its slot; 0: none */
} gprof_lua_frame;

/* Begins to record the Lua program of this thread. Returns 0; EBUSY if another one is
 * recorded; EAGAIN if the recorder is off; or ENOMEM. */
EXPORTED int gprof_lua_begin(const gprof_lua_program *program);

/* Ends that, and removes all Lua slots. Another thread may do so, too, while the program
 * does not run. */
EXPORTED void gprof_lua_end(void);

/* Pauses recording in all threads, and removes all Lua slots; or resumes it. During a
 * pause, the profile can be taken. Returns false if the recorder is off. */
EXPORTED bool gprof_lua_switch(bool on);

/* Counts a call, and sets *entered. `from` is the line of the call in the function
 * `caller`. If `by_c`, the function was called by C code, which `caller` has called: then
 * the innermost C function above it is the calling one, if one is recorded. Returns false
 * if there is no memory, or if another thread or process calls. */
EXPORTED bool gprof_lua_enter(gprof_lua_frame *entered, const gprof_lua_frame *caller,
                              bool by_c, uint64_t from, uint64_t self);

/* Returns the number of the slot for the functions of a coroutine that `resumer`, a C
 * function, has resumed. */
EXPORTED uint32_t gprof_lua_resume(const gprof_lua_frame *resumer);

/* Makes a function, which has a call, the running one: those that it has called have
 * ended. Returns the number of its slot, which may be another one. */
EXPORTED uint32_t gprof_lua_return(const gprof_lua_frame *to);

/* Removes the slot with a number, and all slots above it. */
EXPORTED void gprof_lua_cut(uint32_t number);

/* Takes back a call. */
EXPORTED void gprof_lua_forget(const gprof_lua_frame *function);

/* Adds ticks to a line of a function; if that is 0, to the recorder's own time. */
EXPORTED void gprof_lua_sample(const gprof_lua_frame *function, uint64_t line,
                               uint64_t ticks);

/* Adds ticks to a function that `caller` has called from a line. The call is not counted,
 * and no slot changes: C functions may run above that of `caller`. Returns false if there
 * is no memory, or if another thread or process calls. */
EXPORTED bool gprof_lua_sample_below(const gprof_lua_frame *caller, uint64_t from,
                                     uint64_t self, uint64_t ticks);

#endif
