/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/range.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const gp_range *first = a, *second = b;
  if (first->low != second->low) return first->low < second->low ? -1 : 1;
  return (first->high > second->high) - (first->high < second->high);
}

size_t gp_range_separate(gp_range *ranges, size_t count) {
  size_t kept = 0;
  uint64_t end = 0;
  qsort(ranges, count, sizeof *ranges, compare);
  for (size_t i = 0; i < count; i++) {
    gp_range range = ranges[i];
    if (range.low < end) range.low = end;
    if (range.low >= range.high) continue;
    ranges[kept++] = range;
    end = range.high;
  }
  return kept;
}
