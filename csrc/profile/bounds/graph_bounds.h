/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of inclusive times from the arcs of a call graph. */
#ifndef GP_PROFILE_BOUNDS_GRAPH_BOUNDS_H
#define GP_PROFILE_BOUNDS_GRAPH_BOUNDS_H

#include "profile/bounds/time_bounds.h"

/* Computes the bounds of call_bounds.h for all nodes of a graph whose cycles were found.
 * Errors: no memory. */
bool gp_graph_bounds_find(gp_time_bounds *bounds, const gp_callgraph *graph,
                          gp_error *error);

#endif
