/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranges of addresses.
 *
 * Lists of them are sorted and disjoint: looked up by binary search.
 */
#ifndef GP_BASE_RANGE_H
#define GP_BASE_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/search.h"

/* Addresses low to high - 1. */
typedef struct gp_range {
  uint64_t low, high;
} gp_range;

/* What two ranges have in common; low is not below high if that is nothing. */
static inline gp_range gp_range_clip(gp_range range, gp_range within) {
  if (range.low < within.low) range.low = within.low;
  if (range.high > within.high) range.high = within.high;
  return range;
}

static inline bool gp_range_ends_before(const void *ranges, size_t row,
                                        uint64_t address) {
  return ((const gp_range *)ranges)[row].high <= address;
}

/* The first of `count` ranges that ends above an address; `count` if none does. */
static inline size_t gp_range_above(const gp_range *ranges, size_t count,
                                    uint64_t address) {
  return gp_search(ranges, 0, count, address, gp_range_ends_before);
}

#endif
