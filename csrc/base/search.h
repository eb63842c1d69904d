/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binary search in sorted rows. */
#ifndef GP_BASE_SEARCH_H
#define GP_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a row of a sorted table comes before `key`. */
typedef bool gp_row_before(const void *table, size_t row, uint64_t key);

/* Returns the first of the rows `low` to `high` - 1 that does not come before `key`;
 * `high` if all do. Always inlined, so that the compiler can also inline `before`. */
static inline __attribute__((always_inline)) size_t
gp_search(const void *table, size_t low, size_t high, uint64_t key,
          gp_row_before *before) {
  size_t count = low < high ? high - low : 0;
  for (size_t half; count > 1; count -= half) {
    half = count / 2;
    low += before(table, low + half - 1, key) ? half : 0;  /* without a branch */
  }
  return low + (count == 1 && before(table, low, key));
}

#endif
