/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frames of functions on the stacks of coroutines, with C functions or without. */
#ifndef GPROF_SCRIPTS_RUNNING_CALLS_H
#define GPROF_SCRIPTS_RUNNING_CALLS_H

#include "scripts/mixed.h"
#include "scripts/recording.h"

/* Counts a call of a function from a line of the innermost one of the stack. A function
 * that was tail-called takes the frame of its caller. Of `ar`, uses what tells calls
 * apart. False if there is no memory. */
bool scr_enter(scr_recording *r, scr_stack *stack, const lua_Debug *ar,
               uint32_t function, uint32_t line);

/* Returns the line that the function of `ar` executes; 0 if it is not known. */
uint32_t scr_line_of(lua_State *L, lua_Debug *ar);

/* Does what scr_mixed_cut does, or scr_stack_cut if C functions are not recorded. */
static inline void scr_cut(const scr_recording *r, scr_stack *stack, const void *call) {
  if (r->with_c)
    scr_mixed_cut(stack, call);
  else
    scr_stack_cut(stack, call);
}

/* Removes the frame at the top, if there is one. */
static inline void scr_leave(const scr_recording *r, scr_stack *stack) {
  if (r->with_c)
    scr_mixed_return(stack);
  else if (stack->count > 0)
    stack->count--;
}

/* Adds a frame for a call that is shown as a part of the innermost function; false if
 * there is no memory. */
static inline bool scr_share(const scr_recording *r, scr_stack *stack, const void *call) {
  return r->with_c ? scr_mixed_share(stack, call)
                   : scr_stack_push(stack, call, scr_stack_context(stack));
}

#endif
