/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the stack that a thread is on: its own stack, the alternate stack of its signal
 * handlers, a coroutine's stack (makecontext or gprof_stack), or an unknown stack.
 */
#ifndef GPROF_RUNTIME_STACKS_H
#define GPROF_RUNTIME_STACKS_H

#include <signal.h>

#include "runtime/table.h"

/* Sets the bounds of the thread's own stack, which contains `address`. */
void rec_own_stack(uintptr_t address, uintptr_t *low, uintptr_t *high);

/* Notes that a thread is made with a stack of this size. */
void rec_note_stack_size(size_t size);

/* Switches to the stack that contains `frame`; false if there is no memory. */
bool rec_switch_stack(thread *t, uintptr_t frame);

/* Whether a table is busy. Takes it back if a signal handler left the code that changed
 * it by longjmp, so that this code will not go on. `pointer` is an address in the frame
 * of the code that is running, at or above its stack pointer. */
bool rec_is_held(thread *t, uintptr_t pointer);

/* Registers a stack that the program made. */
void rec_register_stack(uintptr_t low, uintptr_t high);

/* Returns the bounds of this thread's alternate stack for signal handlers; 0 if it has
 * none. */
void rec_alternate_stack(uintptr_t *low, uintptr_t *high);

/* Gives this thread an alternate stack for signal handlers, unless it has one of
 * sufficient size, so that the profile can be written when the thread's own stack is
 * exhausted. */
void rec_make_alternate_stack(void);

/* Uses the stack from rec_make_alternate_stack, if there is one, instead of what the
 * program has set: none, or one that is too small. */
void rec_replace_alternate_stack(const stack_t *wanted);

/* Changes what the kernel says of the alternate stack to what the program has set. */
void rec_hide_alternate_stack(stack_t *seen);

/* Releases the stack from rec_make_alternate_stack at the end of the thread. */
void rec_end_alternate_stack(void);

/* Remembers the main thread's stack. */
void rec_start_stacks(void);

#endif
