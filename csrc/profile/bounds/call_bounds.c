/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of inclusive times from recorded calls. */
#include "profile/bounds/call_bounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/bounds/digraph.h"

/* The arcs, and those from the root, a node after the functions. */
typedef struct rooted {
  uint32_t root;
  size_t arcs;
  uint32_t *from, *to;   /* with room for an arc from the root to each function */
  double *weight, *reach;  /* `reach` may be NULL */
} rooted;

static void add(rooted *r, uint32_t from, uint32_t to) {
  r->from[r->arcs] = from;
  r->to[r->arcs++] = to;
}

/* Adds the arcs, and calls by the root that explain calls without an arc. */
static void add_recorded(rooted *r, const gp_recorded_calls *recorded,
                         uint64_t *explained) {
  for (size_t a = 0; a < recorded->arcs; a++) {
    uint32_t caller = recorded->caller[a], callee = recorded->callee[a];
    if (caller == callee) continue;
    add(r, caller, callee);
    explained[callee] += recorded->count[a];
  }
  for (uint32_t f = 0; f < recorded->functions; f++)
    if (explained[f] < recorded->calls[f]) add(r, r->root, f);
}

/* Adds calls by the root to functions without callers; then to those that still cannot be
 * reached, which are cycles without callers. */
static bool add_roots(rooted *r, size_t functions, bool *reached, uint32_t *stack) {
  for (size_t a = 0; a < r->arcs; a++) reached[r->to[a]] = true;
  for (uint32_t f = 0; f < functions; f++)
    if (!reached[f]) add(r, r->root, f);
  gp_digraph graph;
  if (!gp_digraph_build(&graph, functions + 1, r->from, r->to, r->arcs)) return false;
  memset(reached, 0, functions * sizeof *reached);
  gp_digraph_reach(&graph, r->root, reached, stack);
  gp_digraph_free(&graph);
  for (uint32_t f = 0; f < functions; f++)
    if (!reached[f]) add(r, r->root, f);
  return true;
}

static bool connect(rooted *r, const gp_recorded_calls *recorded) {
  size_t functions = recorded->functions;
  uint64_t *explained = gp_column(functions + 1, sizeof *explained);
  bool *reached = gp_column(functions + 1, sizeof *reached);
  uint32_t *stack = gp_column(functions + 1, sizeof *stack);
  bool done = explained && reached && stack;
  if (done) add_recorded(r, recorded, explained);
  done = done && add_roots(r, functions, reached, stack);
  free(explained);
  free(reached);
  free(stack);
  return done;
}

static bool find(rooted *r, const gp_recorded_calls *recorded) {
  size_t functions = recorded->functions;
  gp_digraph graph;
  if (!connect(r, recorded) ||
      !gp_digraph_build(&graph, functions + 1, r->from, r->to, r->arcs))
    return false;
  memcpy(r->weight, recorded->self, functions * sizeof *r->weight);
  bool done = (!r->reach || gp_digraph_weigh(&graph, r->weight, r->reach)) &&
              gp_digraph_dominate(&graph, r->root, r->weight);
  gp_digraph_free(&graph);
  return done;
}

bool gp_call_bounds_find(const gp_recorded_calls *recorded, double *low, double *high,
                         gp_error *error) {
  size_t functions = recorded->functions, arcs = recorded->arcs + 2 * functions + 1;
  rooted r = {.root = (uint32_t)functions};
  r.from = gp_column(arcs, sizeof *r.from);
  r.to = gp_column(arcs, sizeof *r.to);
  r.weight = gp_column(functions + 1, sizeof *r.weight);
  if (high) r.reach = gp_column(functions + 1, sizeof *r.reach);
  bool done = r.from && r.to && r.weight && (r.reach || !high) && find(&r, recorded);
  if (done) memcpy(low, r.weight, functions * sizeof *low);
  for (size_t f = 0; done && high && f < functions; f++)
    /* sums in another order may be rounded differently */
    high[f] = r.reach[f] < low[f] ? low[f] : r.reach[f];
  free(r.from);
  free(r.to);
  free(r.weight);
  free(r.reach);
  return done || gp_fail_memory(error);
}
