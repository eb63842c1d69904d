/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time along the calls.
 *
 * First, callers before callees: which entries print, and which share of each
 * function's time counts. Then, callees before callers: the time of a callee is
 * divided among its callers in proportion to their calls.
 */
#ifndef GP_PROFILE_PROPAGATE_H
#define GP_PROFILE_PROPAGATE_H

#include "profile/callgraph.h"
#include "profile/samples.h"
#include "profile/selection.h"

/* Fills self, children, share, shown_self, shown_children, printed and total.
 * `print` selects entries, `time` the functions whose time counts. */
bool gp_propagate(gp_callgraph *graph, const gp_samples *samples,
                  const gp_selection *print, const gp_selection *time, gp_error *error);

/* The time that an arc stands for, in ticks: the part of the callee's (or of its
 * whole cycle's) own and children's time that is due to these calls. */
typedef struct gp_arc_time {
  double self, children;
} gp_arc_time;

gp_arc_time gp_propagated(const gp_callgraph *graph, uint32_t arc);

#endif
