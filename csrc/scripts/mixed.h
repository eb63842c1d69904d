/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records a Lua program together with the C functions that it calls, and that call it.
 * The C recorder (libgprof-recorder, see doc/recorder.md) has the call paths and the
 * timer; the hook tells it which Lua function runs. Its functions are found when this
 * module is loaded.
 */
#ifndef GPROF_SCRIPTS_MIXED_H
#define GPROF_SCRIPTS_MIXED_H

#include "scripts/recording.h"

/* Starts to record a state. Signal handlers call `tick` with the ticks in which the
 * interpreter has run a function that Lua called. `is_program`: whether that is all that
 * the process is for, so that programs that it starts are not recorded. Returns NULL, or
 * what is wrong. */
const char *scr_mixed_begin(scr_recording *r, gprof_lua_tick *tick,
                            bool is_program);

/* Ends that, and takes the context profile of the process. If `goes_on`, the C recorder
 * continues with a new profile. */
void scr_mixed_end(scr_recording *r, bool goes_on);

/* Pauses that, and the C recorder: all threads. */
void scr_mixed_pause(scr_recording *r);

/* Continues; returns NULL, or what is wrong. */
const char *scr_mixed_resume(scr_recording *r);

/* During a pause: takes the context profile as it is. */
void scr_mixed_take(scr_recording *r);

/* Ends that in another thread. The C recorder's profile keeps all counts. */
void scr_mixed_abandon(void);

/* Returns the stack of the coroutine in which recording has started. Like the next
 * function, returns NULL if there is no memory. */
scr_stack *scr_mixed_start(scr_stacks *stacks, const void *thread);

/* Returns the stack of the coroutine that runs. Another one ran before, which has resumed
 * it, or has yielded or ended. */
scr_stack *scr_mixed_switch(scr_stacks *stacks, const void *before, const void *thread,
                            bool is_main, bool is_new);

/* Counts the call of a function by the innermost one of the stack; false if there is no
 * memory. */
bool scr_mixed_call(scr_stack *stack, const lua_Debug *ar, uint32_t function,
                    uint32_t line);

/* Ends the innermost function of the stack. */
void scr_mixed_return(scr_stack *stack);

/* Removes the frames above a call, like scr_stack_cut. */
void scr_mixed_cut(scr_stack *stack, const void *call);

/* Like scr_mixed_call, for a call that was counted before; `line` is known, or 0. */
bool scr_mixed_put(scr_stack *stack, const void *call, uint32_t function, uint32_t line);

/* Makes a stack start where the former stack of its coroutine has started. */
void scr_mixed_base(scr_stack *stack, const scr_stack *former);

/* See scr_share in running_calls.h. */
bool scr_mixed_share(scr_stack *stack, const void *call);

/* Takes back the call of the innermost function. */
void scr_mixed_forget(const scr_stack *stack);

/* Adds ticks to a line of the innermost function. */
void scr_mixed_ticks(const scr_stack *stack, uint32_t line, uint64_t ticks);

/* Adds ticks to a function that the innermost one has called from a line; its call is not
 * counted. False if there is no memory. */
bool scr_mixed_below(const scr_stack *stack, uint32_t function, uint32_t line,
                     uint64_t ticks);

#endif
