/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Propagates time along the arcs, from callees to callers.
 *
 * The first pass, callers before callees, decides which entries are printed, and how much
 * of each function's time is included. The second pass, callees before callers, divides
 * the time of each callee among its callers: as measured (see measured.h), or in
 * proportion to their calls.
 */
#ifndef GP_PROFILE_PROPAGATE_H
#define GP_PROFILE_PROPAGATE_H

#include "profile/callgraph.h"
#include "profile/samples.h"
#include "profile/selection.h"

/* Fills `moved`, `self`, `children`, `share`, `shown_self`, `shown_children`, `printed`
 * and `total` of the graph. `print` selects the entries, `time` the functions whose time
 * is included. Fails only if there is no memory. */
bool gp_propagate(gp_callgraph *graph, const gp_samples *samples,
                  const gp_selection *print, const gp_selection *time, gp_error *error);

#endif
