/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call paths of samples in programs whose calls are not recorded: from the thread's stack
 * and unwind tables. A path that does not lead to the start of the thread has no callers:
 * its samples are in the context of an unknown stack. Only stacks are read whose bounds
 * are known: that of the main thread, those of threads that announce themselves, and
 * alternate stacks for signal handlers.
 */
#ifndef GPROF_RUNTIME_SAMPLED_PATHS_H
#define GPROF_RUNTIME_SAMPLED_PATHS_H

#include "runtime/table.h"
#include "runtime/unwind.h"

/* Begins to find call paths. Called by the main thread. */
void rec_begin_paths(void);

/* Finds call paths in this thread, if the program's are found. Not for signal
 * handlers. */
void rec_begin_thread_paths(void);

/* Ends that, while no samples are taken. */
void rec_end_thread_paths(void);

/* Returns the context without callers of a stack without recorded calls. */
record *rec_unknown_path(const thread *t);

/* Returns the context of interrupted code of this thread. */
record *rec_path_of(thread *t, registers now);

/* Returns the context of another thread, which waits at an address with a stack pointer,
 * in its table for samples while it waits. Its frame pointer is not known until a
 * function on the path has saved it. If one needs it before, the path has no callers. */
record *rec_path_of_waiting(thread *waiting, uintptr_t at, uintptr_t pointer,
                            stack_bounds copied);

#endif
