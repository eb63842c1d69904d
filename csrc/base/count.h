/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of counts, checked for overflow.
 *
 * Calls and executions are summed over any number of files. A sum must fit in a Lua
 * integer; a larger sum is an error.
 */
#ifndef GP_BASE_COUNT_H
#define GP_BASE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Adds `more` to *sum. Returns false, with *sum unchanged, if the result exceeds
 * INT64_MAX. */
static inline bool gp_count_add(uint64_t *sum, uint64_t more) {
  if (more > (uint64_t)INT64_MAX - *sum) return false;
  *sum += more;
  return true;
}

#endif
