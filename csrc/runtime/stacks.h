/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the stack that a thread is on: its own stack, the alternate stack of its signal
 * handlers, a coroutine's stack (makecontext or gprof_stack), or an unknown stack.
 */
#ifndef GPROF_RUNTIME_STACKS_H
#define GPROF_RUNTIME_STACKS_H

#include "runtime/table.h"

/* Sets the bounds of the thread's own stack, which contains `address`. */
void rec_own_stack(uintptr_t address, uintptr_t *low, uintptr_t *high);

/* Switches to the stack that contains `frame`; false if there is no memory. */
bool rec_switch_stack(thread *t, uintptr_t frame);

/* Registers a stack that the program made. */
void rec_register_stack(uintptr_t low, uintptr_t high);

/* Remembers the main thread's stack. */
void rec_start_stacks(void);

#endif
