/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts that never wrap.
 *
 * Calls and executions are added up over any number of files. They are kept within
 * what a Lua integer holds, and a sum beyond that is an error, not another number.
 */
#ifndef GP_BASE_COUNT_H
#define GP_BASE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Adds `more` to *sum; false, with *sum as it was, if that is too much. */
static inline bool gp_count_add(uint64_t *sum, uint64_t more) {
  if (more > (uint64_t)INT64_MAX - *sum) return false;
  *sum += more;
  return true;
}

#endif
