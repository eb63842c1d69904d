/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code that the hooks run at calls that they do not count themselves.
 */
#ifndef GPROF_RUNTIME_CALLS_H
#define GPROF_RUNTIME_CALLS_H

#include "runtime/table.h"
#include "runtime/threads.h"

/* A call made before the recorder started, such as one from an ifunc resolver. */
typedef struct early_call {
  uintptr_t from, self;
  uint64_t count;
} early_call;
#define EARLY_CALLS 256
HIDDEN extern early_call rec_early[EARLY_CALLS];

/* Counts a call before the start; does nothing while recording is paused. */
void rec_count_early(uintptr_t from, uintptr_t self);

/* Counts calls that cannot be recorded, for lack of memory. */
void rec_count_lost(uint64_t calls);

/* Claims the table that counts a call, and marks it busy until rec_release. NULL, after
 * the call was counted as early or lost, if there is none. */
static inline thread *rec_claim(uintptr_t from, uintptr_t self, uintptr_t frame) {
  if (__atomic_load_n(&rec_state, __ATOMIC_RELAXED) != RECORDING) {
    rec_count_early(from, self);
    return NULL;
  }
  thread *t = rec_own;
  if (!t || t->holder) t = rec_other_table(t, frame);
  if (!t) {
    rec_count_lost(1);
    return NULL;
  }
  rec_hold(t);
  return t;
}

/* Records a call. `self` is the return address of the hook, in the callee. `from` is the
 * return address of the callee, in the caller; it is stored in the word above `frame`.
 * `pointer` is the caller's frame pointer, if it has one. */
void rec_call(uintptr_t self, uintptr_t from, uintptr_t frame, uintptr_t pointer);

#endif
