/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in the code anything was recorded: bins with samples, places that calls come
 * from, basic blocks.
 */
#ifndef GP_GMON_RECORDED_H
#define GP_GMON_RECORDED_H

#include "base/range.h"
#include "gmon/gmon.h"

typedef struct gp_recorded {
  size_t count, capacity;
  gp_range *ranges;   /* ascending; neither overlapping nor touching each other */
} gp_recorded;

/* Finds them all. False if there is no memory. */
bool gp_recorded_find(gp_recorded *recorded, const gp_data *data);
void gp_recorded_free(gp_recorded *recorded);

/* Whether anything was recorded in a range. */
bool gp_recorded_in(const gp_recorded *recorded, gp_range range);

#endif
