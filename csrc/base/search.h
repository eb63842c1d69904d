/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Binary search in sorted rows.
 */
#ifndef GP_BASE_SEARCH_H
#define GP_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a row of a table comes before `key`: true up to some row, false from there. */
typedef bool gp_row_before(const void *table, size_t row, uint64_t key);

/* The first of the rows `low` to `high` - 1 that does not come before `key`; `high` if
 * all do. Inlined together with `before`: as fast as a loop written for the table. */
static inline __attribute__((always_inline)) size_t
gp_search(const void *table, size_t low, size_t high, uint64_t key,
          gp_row_before *before) {
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (before(table, middle, key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif
