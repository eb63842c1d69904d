/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the caller of a function by the object's unwind table (.eh_frame), which says
 * where the caller's registers are at each instruction, with frame pointers or without.
 * Only what compilers write for ordinary functions is understood: frames at an offset
 * from the stack or frame pointer. Safe in signal handlers.
 */
#ifndef GPROF_RUNTIME_UNWIND_H
#define GPROF_RUNTIME_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* Registers in a function. */
typedef struct registers {
  uintptr_t at, stack, frame;
  uintptr_t link; /* return address if it is in a register; 0 if it is not */
  bool no_frame;  /* `frame` is unknown */
} registers;

/* Memory that can be read: a stack, or a copy of it. */
typedef struct stack_bounds {
  uintptr_t low, high;
  uintptr_t copy; /* distance from the stack to the copy; 0: none */
} stack_bounds;

/* What is known of a caller. A function is outermost if it has no caller, or is the code
 * to which a signal handler returns. */
typedef enum caller { NO_CALLER, CALLER, UNKNOWN_CALLER } caller;

/* What the unwind information says of the code at an address. Frames have offsets from
 * the caller's stack pointer at the call. */
typedef struct unwind_step {
  uintptr_t address;
  const unsigned char *table; /* of the object */
  uintptr_t start;            /* of the function */
  int32_t offset;             /* from the stack or frame pointer to the frame */
  int32_t frame, returns;     /* where the frame pointer and the return address are */
  caller above : 8;
  bool from_stack, is_signed, saves_frame, saves_return;
} unwind_step;

#define STEPS 509

/* Steps that were made. Belongs to one thread. */
typedef struct unwind_cache {
  unwind_step steps[STEPS];
} unwind_cache;

/* Sets *now to the registers in the caller, at the return address, and *start to the
 * start of the function that was called, or of the part of it that has unwind
 * information of its own. `interrupted`: *now was interrupted, and is not at a return
 * address. */
caller rec_unwind(registers *now, stack_bounds bounds, bool interrupted,
                  unwind_cache *cache, uintptr_t *start);

#endif
