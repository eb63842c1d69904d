/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Address ranges, and binary search in sorted, disjoint ranges.
 */
#ifndef GP_BASE_RANGE_H
#define GP_BASE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/search.h"

/* Addresses low to high - 1. */
typedef struct gp_range {
  uint64_t low, high;
} gp_range;

static inline bool gp_range_has(gp_range range, uint64_t address) {
  return address >= range.low && address < range.high;
}

/* Returns the intersection of two ranges. It is empty if low >= high. */
static inline gp_range gp_range_clip(gp_range range, gp_range within) {
  if (range.low < within.low) range.low = within.low;
  if (range.high > within.high) range.high = within.high;
  return range;
}

static inline bool gp_range_ends_before(const void *ranges, size_t row,
                                        uint64_t address) {
  return ((const gp_range *)ranges)[row].high <= address;
}

/* Returns the index of the first of `count` sorted ranges that ends above `address`;
 * `count` if none does. */
static inline size_t gp_range_above(const gp_range *ranges, size_t count,
                                    uint64_t address) {
  return gp_search(ranges, 0, count, address, gp_range_ends_before);
}

/* Whether a range overlaps one of `count` sorted ranges. */
static inline bool gp_range_meets(const gp_range *ranges, size_t count, gp_range range) {
  size_t i = gp_range_above(ranges, count, range.low);
  return i < count && ranges[i].low < range.high;
}

/* Sorts ranges, and drops the parts that are in lower ones, and empty ranges. Returns the
 * number of the others. */
size_t gp_range_separate(gp_range *ranges, size_t count);

#endif
