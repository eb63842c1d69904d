/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranges of addresses.
 *
 * Lists of them ascend, and no two overlap: what an address is in is found by halving.
 */
#ifndef GP_BASE_RANGE_H
#define GP_BASE_RANGE_H

#include <stddef.h>
#include <stdint.h>

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

/* The first of `count` ranges that ends above an address; `count` if none does. */
static inline size_t gp_range_above(const gp_range *ranges, size_t count,
                                    uint64_t address) {
  size_t first = 0, end = count;
  while (first < end) {
    size_t middle = first + (end - first) / 2;
    if (ranges[middle].high <= address)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

#endif
