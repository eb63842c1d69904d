/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples threads that wait, for wall-clock time. The timers of sampling.h sample threads
 * that run.
 *
 * A thread of the recorder looks at the other threads at a fixed rate, without signals.
 * The kernel says which threads wait, and where (/proc/self/task/THREAD/syscall). Their
 * shadow stacks say in which context. A thread that has used no processor time since the
 * last look is still waiting there. The time in which a thread is ready to run, but other
 * threads run, is added to the samples of its timer.
 */
#ifndef GPROF_RUNTIME_WAITING_H
#define GPROF_RUNTIME_WAITING_H

#include <stdint.h>

#include "runtime/table.h"

HIDDEN extern bool rec_wall;         /* the option `wall` */
HIDDEN extern int rec_waiting_error; /* errno if threads that wait cannot be sampled */

/* Whether threads that wait are sampled. */
bool rec_samples_waiting(void);

/* Whether the kernel says if a thread waits; and whether a thread does not wait. */
bool rec_knows_waiting(int id);
bool rec_is_runnable(int id);

/* Gives the thread of a table a second table, for samples while it waits. */
void rec_sample_waiting(thread *t, uintptr_t low, uintptr_t high);

/* Checks that the kernel says where threads wait. */
void rec_start_looking(void);

/* Looks at all threads. Each sample counts for a number of ticks. */
void rec_look_at_threads(uint64_t ticks);

#endif
