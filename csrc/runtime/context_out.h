/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the context profile, whose format doc/contexts.md defines.
 */
#ifndef GPROF_RUNTIME_CONTEXT_OUT_H
#define GPROF_RUNTIME_CONTEXT_OUT_H

#include <stdbool.h>
#include <stdint.h>

/* Properties of the process, as the profile records them. Times are nanoseconds since
 * 1970. */
typedef struct process {
  int64_t id, parent;
  uint64_t begin, end;
  uint64_t lost;                 /* calls that were not counted, for lack of memory */
  bool executes;                 /* executes another program next, in its place */
  uintptr_t code_low, code_high; /* range of the histogram in gmon.out, as loaded */
} process;

/* Writes the last snapshot to the output file (see output.h). */
void rec_put_contexts(const process *about);

#endif
