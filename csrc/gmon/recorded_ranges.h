/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The address ranges for which a profile has data: bins with samples, callers' addresses
 * in arcs, and basic blocks. Most reports need source lines only there.
 */
#ifndef GP_GMON_RECORDED_RANGES_H
#define GP_GMON_RECORDED_RANGES_H

#include "base/range.h"
#include "gmon/gmon.h"

typedef struct gp_recorded_ranges {
  size_t count, capacity;
  gp_range *ranges;   /* sorted; neither overlapping nor adjacent */
} gp_recorded_ranges;

/* Collects the ranges. False if there is no memory. */
bool gp_recorded_ranges_find(gp_recorded_ranges *recorded, const gp_data *data);
void gp_recorded_ranges_free(gp_recorded_ranges *recorded);

/* Whether `range` overlaps a recorded range. */
bool gp_recorded_ranges_in(const gp_recorded_ranges *recorded, gp_range range);

#endif
