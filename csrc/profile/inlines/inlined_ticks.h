/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ticks of compiled functions, divided among the functions that were inlined there.
 *
 * They form trees: the root is a compiled function, and the nodes below a node are the
 * functions that were inlined into it. So samples alone show how much time a function has
 * in code that was inlined into another one.
 */
#ifndef GP_PROFILE_INLINES_INLINED_TICKS_H
#define GP_PROFILE_INLINES_INLINED_TICKS_H

#include "profile/callgraph.h"
#include "profile/inlines/inlined_frames.h"
#include "profile/selection.h"

typedef struct gp_inlined_ticks {
  const gp_symtab *symtab;
  gp_inlined_frames frames;
  gp_pairs nodes;       /* the node into which the function was inlined, as its row + 1,
                           or 0; and the function. Rows of outer nodes are lower */
  size_t capacity;
  double *ticks;        /* per node: in its own code, if the function is selected */
} gp_inlined_ticks;

/* Makes an empty table; NULL if there is no memory. The symbol table must have symbols of
 * inlined functions, and must outlive the new table. */
gp_inlined_ticks *gp_inlined_ticks_new(const gp_symtab *symtab);
void gp_inlined_ticks_free(gp_inlined_ticks *inlined);

/* Sets `*node` to the node for code of a compiled function, and `*high` to where the code
 * of this node ends, if that is below `*high`. False if there is no memory. */
bool gp_inlined_ticks_at(gp_inlined_ticks *inlined, uint32_t function, uint64_t address,
                         uint64_t *high, uint32_t *node);

/* Fills `steps` with an arc for each function that was inlined into another one. False if
 * there is no memory. */
bool gp_inlined_ticks_steps(const gp_inlined_ticks *inlined, gp_path_steps *steps);

/* Fills `arc_self`, `arc_children`, `inlined_self` and `inlined_children` of a graph
 * whose cycles have been found. No time passes from functions that `time` excludes. False
 * if there is no memory. */
bool gp_inlined_ticks_arcs(const gp_inlined_ticks *inlined, gp_callgraph *graph,
                           const gp_selection *time);

#endif
