/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the hooks of calls run, and functions that they rely on.
 */
#ifndef GPROF_RUNTIME_CALLS_H
#define GPROF_RUNTIME_CALLS_H

#include "runtime/table.h"

/* Calls before the start, such as those of ifunc resolvers. */
typedef struct early_call {
  uintptr_t from, self;
  uint64_t count;
} early_call;
#define EARLY_CALLS 256
HIDDEN extern early_call rec_early[EARLY_CALLS];

/* Records a call. `self` is the return address of the hook, and `from` that of the
 * function that it runs in. That is stored in the word above `frame`. `pointer` is the
 * caller's frame pointer, if it has one. */
void rec_call(uintptr_t self, uintptr_t from, uintptr_t frame, uintptr_t pointer);

#endif
