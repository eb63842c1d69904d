/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of inclusive times from the arcs of a call graph. */
#include "profile/bounds/graph_bounds.h"

#include <stdlib.h>

#include "base/array.h"
#include "profile/bounds/call_bounds.h"

/* Finds the bounds of cycles, from the arcs between them and other functions. Those of
 * functions were found before: a cycle reaches what each of its members does. */
static bool find_cycles(const gp_callgraph *graph, double *low, double *high,
                        gp_error *error) {
  size_t nodes = graph->functions + graph->cycles;
  uint32_t *caller = gp_column(graph->arcs, sizeof *caller);
  uint32_t *callee = gp_column(graph->arcs, sizeof *callee);
  double *self = gp_column(nodes, sizeof *self), *low_of = gp_column(nodes, sizeof *low);
  bool done = caller && callee && self && low_of;
  for (size_t a = 0; done && a < graph->arcs; a++) {
    caller[a] = gp_callgraph_whole(graph, graph->caller[a]);
    callee[a] = gp_callgraph_whole(graph, graph->callee[a]);
  }
  for (uint32_t f = 0; done && f < graph->functions; f++)
    self[gp_callgraph_whole(graph, f)] += graph->self[f];
  gp_recorded_calls recorded = {nodes, graph->arcs, self, graph->calls,
                                caller, callee, graph->count};
  done = done ? gp_call_bounds_find(&recorded, low_of, NULL, error)
              : gp_fail_memory(error);
  for (size_t c = graph->functions; done && c < nodes; c++) {
    double reach = high[graph->head[c - graph->functions]];
    low[c] = low_of[c];
    high[c] = reach < low[c] ? low[c] : reach;
  }
  free(caller);
  free(callee);
  free(self);
  free(low_of);
  return done;
}

bool gp_graph_bounds_find(gp_time_bounds *bounds, const gp_callgraph *graph,
                          gp_error *error) {
  size_t nodes = graph->functions + graph->cycles;
  double *low = gp_column(nodes, sizeof *low), *high = gp_column(nodes, sizeof *high);
  gp_recorded_calls recorded = {graph->functions, graph->arcs, graph->self,
                                graph->calls, graph->caller, graph->callee,
                                graph->count};
  if (!low || !high) gp_fail_memory(error);
  if (low && high && gp_call_bounds_find(&recorded, low, high, error) &&
      (graph->cycles == 0 || find_cycles(graph, low, high, error))) {
    bounds->low = low;
    bounds->high = high;
    return true;
  }
  free(low);
  free(high);
  return false;
}
