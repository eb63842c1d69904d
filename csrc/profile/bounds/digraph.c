/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Directed graphs. */
#include "profile/bounds/digraph.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool gp_digraph_build(gp_digraph *graph, size_t nodes, const uint32_t *from,
                      const uint32_t *to, size_t arcs) {
  graph->nodes = nodes;
  graph->first = gp_column(nodes + 1, sizeof *graph->first);
  graph->to = gp_column(arcs, sizeof *graph->to);
  uint32_t *next = gp_column(nodes, sizeof *next);
  bool done = graph->first && graph->to && next;
  if (done) {
    /* the positions first[n] at which the arcs of each node begin */
    for (size_t i = 0; i < arcs; i++) graph->first[from[i] + 1]++;
    for (size_t n = 0; n < graph->nodes; n++) graph->first[n + 1] += graph->first[n];
    memcpy(next, graph->first, nodes * sizeof *next);
    for (size_t i = 0; i < arcs; i++) graph->to[next[from[i]]++] = to[i];
  } else {
    gp_digraph_free(graph);
  }
  free(next);
  return done;
}

void gp_digraph_free(gp_digraph *graph) {
  free(graph->first);
  free(graph->to);
  memset(graph, 0, sizeof *graph);
}

void gp_digraph_reach(const gp_digraph *graph, uint32_t root, bool *reached,
                      uint32_t *stack) {
  size_t depth = 0;
  if (reached[root]) return;
  reached[root] = true;
  stack[depth++] = root;
  while (depth > 0) {
    uint32_t node = stack[--depth];
    for (uint32_t a = graph->first[node]; a < graph->first[node + 1]; a++) {
      uint32_t to = graph->to[a];
      if (reached[to]) continue;
      reached[to] = true;
      stack[depth++] = to;
    }
  }
}
