/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads rows of the call graph ahead of their use. */
#include "profile/prefetch.h"

GP_PREFETCHES void prefetch_first_arcs(const gp_callgraph *graph,
                                       const gp_arc_lists *lists, uint32_t function) {
  uint32_t start = lists->start[function], end = lists->start[function + 1];
  if (end - start > GP_ARCS_AHEAD) end = start + GP_ARCS_AHEAD;
  for (uint32_t i = start; i < end; i++) gp_prefetch_arc(graph, lists->arc[i]);
}

static const size_t NODES_AHEAD = 4;

GP_PREFETCHES void prefetch_node(const gp_callgraph *graph, uint32_t node) {
  if (graph->rank) __builtin_prefetch(&graph->rank[node]);
  __builtin_prefetch(&graph->printed[node]);
  __builtin_prefetch(&graph->calls[node]);
  __builtin_prefetch(&graph->self_calls[node]);
  __builtin_prefetch(&graph->self[node]);
  __builtin_prefetch(&graph->children[node]);
  __builtin_prefetch(&graph->shown_self[node]);
  __builtin_prefetch(&graph->shown_children[node]);
}

void gp_prefetch_nodes(const gp_callgraph *graph, const uint32_t *nodes, size_t count) {
  if (count > NODES_AHEAD) prefetch_node(graph, nodes[NODES_AHEAD]);
}

/* Each step reads what the previous one began to load while an earlier entry was
 * written. */
void gp_prefetch_entries(const gp_callgraph *graph, const uint32_t *nodes, size_t count) {
  if (count <= NODES_AHEAD) return;
  prefetch_node(graph, nodes[NODES_AHEAD]);
  if (nodes[3] < graph->functions) {
    __builtin_prefetch(&graph->callers.start[nodes[3]]);
    __builtin_prefetch(&graph->callees.start[nodes[3]]);
  }
  if (nodes[2] < graph->functions) {
    __builtin_prefetch(&graph->callers.arc[graph->callers.start[nodes[2]]]);
    __builtin_prefetch(&graph->callees.arc[graph->callees.start[nodes[2]]]);
  }
  if (nodes[1] < graph->functions) {
    prefetch_first_arcs(graph, &graph->callers, nodes[1]);
    prefetch_first_arcs(graph, &graph->callees, nodes[1]);
  }
}

void gp_prefetch_arcs(const gp_callgraph *graph, const uint32_t *arcs, size_t count) {
  if (count > 2 * NODES_AHEAD) gp_prefetch_arc(graph, arcs[2 * NODES_AHEAD]);
  if (count <= NODES_AHEAD) return;
  uint32_t arc = arcs[NODES_AHEAD];
  for (int end = 0; end < 2; end++) {
    uint32_t node = end == 0 ? graph->caller[arc] : graph->callee[arc];
    __builtin_prefetch(&graph->cycle[node]);
    __builtin_prefetch(&graph->calls[node]);
    if (graph->rank) __builtin_prefetch(&graph->rank[node]);
  }
}
