/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often each line of a Lua function was executed. */
#ifndef GPROF_SCRIPTS_LINE_COUNTS_H
#define GPROF_SCRIPTS_LINE_COUNTS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scr_lines {
  uint64_t *counts;     /* by line, from `first` on: executions plus 1; 0: no code */
  uint32_t first;
  size_t size;
} scr_lines;

/* Finds the lines with code of the function at the top of the stack. A failure leaves the
 * lines empty. */
bool scr_lines_init(scr_lines *lines, lua_State *L, uint32_t first);
void scr_lines_free(scr_lines *lines);

/* Counts an execution. Ignores lines without code. */
static inline void scr_lines_add(scr_lines *lines, int line) {
  const size_t at = (size_t)line - lines->first;
  if (at < lines->size && lines->counts[at] > 0) lines->counts[at]++;
}

#endif
