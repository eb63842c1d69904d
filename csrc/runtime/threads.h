/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives threads their tables: at their first call, after a fork, and for signal handlers
 * that interrupt the recorder. The table of a thread that has ended keeps its counts. If
 * memory is short, the next new thread uses that table.
 */
#ifndef GPROF_RUNTIME_THREADS_H
#define GPROF_RUNTIME_THREADS_H

#include "runtime/table.h"

/* Number of calls that were not recorded, for lack of memory. */
HIDDEN extern uint64_t rec_lost;

/* Prepares to notice the end of threads; false if there is no memory. */
bool rec_start_threads(void);

/* Returns a table for a call if the thread has none yet, or if its table `t` is busy.
 * NULL if there is no memory. */
thread *rec_other_table(thread *t, uintptr_t frame);

/* Begins work of the recorder: samples in it are not the program's. Returns the table of
 * this thread, which is busy until rec_release; NULL if there is none, or if the recorder
 * was interrupted at work. */
static inline thread *rec_begin_work(void) {
  thread *const t = rec_own;
  if (!t || t->holder) return NULL;
  rec_hold(t);
  return t;
}

/* Replaces the tables in a forked child, where only this thread exists. */
void rec_start_child(void);

#endif
