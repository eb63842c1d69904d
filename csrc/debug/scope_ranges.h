/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code ranges of scopes. They overlap: the code of an inlined function is also code of
 * the function around it.
 *
 * Enclosing scopes are added first, so the innermost scope at an address is the last one.
 * If code of several units overlaps, the first of these units is used.
 */
#ifndef GP_DEBUG_SCOPE_RANGES_H
#define GP_DEBUG_SCOPE_RANGES_H

#include "debug/inline_map.h"

typedef struct gp_scope_ranges {
  size_t count, capacity;
  uint64_t *low, *high;
  uint32_t *scope;
  uint32_t *unit;        /* rank of the scope's unit: the lowest comes first */
} gp_scope_ranges;

void gp_scope_ranges_free(gp_scope_ranges *ranges);

/* Adds a range, which must not be empty. False if there is no memory. */
bool gp_scope_ranges_add(gp_scope_ranges *ranges, gp_range range, uint32_t scope,
                         uint32_t unit);

/* Makes the segments of a map from the parts that are in one of the `count` ranges
 * `wanted`, which are ascending and disjoint. False if there is no memory. */
bool gp_scope_ranges_resolve(const gp_scope_ranges *ranges, const gp_range *wanted,
                             size_t count, gp_inline_map *map);

#endif
