/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The code of scopes, which overlaps: the code of an inlined function is also code of the
 * function that called it.
 *
 * At each address, the innermost scope is the last one, because scopes are added with
 * the enclosing one first. If code of several units overlaps, the first of these units is
 * used.
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
