/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call stacks of a Lua state's coroutines, as the hooks see them.
 *
 * A frame is identified by its CallInfo, of which only the address is used. An error
 * ends frames without a return hook: they are removed when a frame below them calls or
 * returns.
 */
#ifndef GPROF_SCRIPTS_COROUTINE_STACKS_H
#define GPROF_SCRIPTS_COROUTINE_STACKS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/lua_frames.h"

/* A call that resumes a coroutine. */
typedef struct scr_resume {
  lua_State *L;                     /* the coroutine with the call */
  const struct scr_resume *outer;   /* the call that resumed that one; NULL: none */
} scr_resume;

typedef struct scr_frame {
  const void *call;     /* CallInfo */
  uint32_t context;     /* with C functions, the function's number */
  uint32_t slot : 31;   /* with C functions: see gprof_lua_frame */
  bool is_zone : 1;     /* see zones.h */
  void *record;         /* with C functions: of the call */
  const void *closure;  /* of a zone: that which the call executes */
} scr_frame;

typedef struct scr_stack {
  const void *thread;   /* lua_State of the coroutine; NULL: free */
  scr_frame *frames;
  size_t count, capacity;
  uint32_t base;        /* the context in which the coroutine was first resumed */
  gprof_lua_frame c;    /* with C functions: the call that resumed it first; and the slot
                           in which it was resumed last, of the first `resumed` frames */
  size_t resumed;
  bool active;          /* it runs, or has resumed an active coroutine: */
  const void *resumer;  /* the one that has resumed it; NULL: none */
  bool collected;       /* there is no such coroutine */
  bool begun;           /* it had an event */
} scr_stack;

typedef struct scr_stacks {
  scr_stack *list;      /* a hash table by thread */
  size_t used, size;    /* a power of two */
} scr_stacks;

bool scr_stacks_init(scr_stacks *stacks);
void scr_stacks_free(scr_stacks *stacks);

/* Returns the stack of a coroutine, which is added with this base if it is new; NULL if
 * there is no memory. The addresses of stacks change when one is added. */
scr_stack *scr_stack_of(scr_stacks *stacks, const void *thread, uint32_t base);

/* Frees the frames of a collected coroutine, if it had a stack. */
void scr_stack_drop(scr_stacks *stacks, const void *thread);

/* Returns the stack of a coroutine; NULL if it has none. */
scr_stack *scr_stack_find(const scr_stacks *stacks, const void *thread);

/* Removes the frames above a call. Removes all frames if `call` is NULL or not on the
 * stack. */
static inline void scr_stack_cut(scr_stack *stack, const void *call) {
  while (stack->count > 0 && stack->frames[stack->count - 1].call != call) stack->count--;
}

/* Makes room for a frame. */
bool scr_stack_grow(scr_stack *stack);

static inline bool scr_stack_push(scr_stack *stack, const void *call, uint32_t context) {
  if (stack->count == stack->capacity && !scr_stack_grow(stack)) return false;
  scr_frame *frame = &stack->frames[stack->count++];
  frame->call = call;
  frame->context = context;
  frame->is_zone = false;
  return true;
}

/* Returns the context of the innermost frame. */
static inline uint32_t scr_stack_context(const scr_stack *stack) {
  return stack->count > 0 ? stack->frames[stack->count - 1].context : stack->base;
}

#endif
