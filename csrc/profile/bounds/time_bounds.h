/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounds of inclusive times: the time of functions and everything that they called.
 *
 * Arcs do not show which part of a function's time was spent for which caller. Whatever
 * the parts were, the inclusive time of a function is at least the self time of all
 * functions that only it can lead to, and at most the self time of all functions that it
 * can lead to. See doc/inclusive-time.md.
 */
#ifndef GP_PROFILE_BOUNDS_TIME_BOUNDS_H
#define GP_PROFILE_BOUNDS_TIME_BOUNDS_H

#include "object/opcodes.h"
#include "profile/callgraph.h"
#include "profile/samples.h"

typedef struct gp_time_bounds {
  double *low, *high;    /* ticks, per node of the call graph; NULL if not known */
  const char *problem;   /* why they are not known; NULL if they are, or were not asked
                            for */
} gp_time_bounds;

/* Computes the bounds for all nodes of a graph whose cycles were found. Uses the arcs of
 * the data, whatever arcs are selected. The table must be by function, and of one image.
 * Errors: .text cannot be read; no memory. */
bool gp_time_bounds_find(gp_time_bounds *bounds, const gp_image *image,
                         const gp_data *data, const gp_callgraph *graph,
                         const gp_samples *samples, const gp_opcodes *opcodes,
                         gp_error *error);
void gp_time_bounds_free(gp_time_bounds *bounds);

#endif
