/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads rows of the call graph ahead of their use.
 *
 * Nodes sorted by time or name, and the arcs of a function, are anywhere in memory. With
 * many functions, they are not in the processor's caches.
 */
#ifndef GP_PROFILE_PREFETCH_H
#define GP_PROFILE_PREFETCH_H

#include "profile/callgraph.h"

/* gcc regards a function that only prefetches as one without effects. It drops the calls,
 * unless the function is inlined before. */
#define GP_PREFETCHES __attribute__((always_inline)) static inline

/* The first arcs of an entry are prefetched while the previous entry is written, the
 * others while this number of arcs is read. */
enum { GP_ARCS_AHEAD = 16 };

/* Starts to load an arc. */
GP_PREFETCHES void gp_prefetch_arc(const gp_callgraph *graph, uint32_t arc) {
  __builtin_prefetch(&graph->moved[arc]);
  __builtin_prefetch(&graph->count[arc]);
  __builtin_prefetch(&graph->caller[arc]);
  __builtin_prefetch(&graph->callee[arc]);
}

/* Starts to load what determines the time of an arc to a callee, if it is needed soon. */
GP_PREFETCHES void gp_prefetch_callee(const gp_callgraph *graph, uint32_t node) {
  __builtin_prefetch(&graph->cycle[node]);
  __builtin_prefetch(&graph->share[node]);
  __builtin_prefetch(&graph->calls[node]);
  __builtin_prefetch(&graph->self[node]);
  __builtin_prefetch(&graph->children[node]);
}

/* Starts to load what is needed of the nodes after nodes[0], of `count` nodes in all, if
 * they are visited in this order: their figures and, for entries of the call graph, their
 * lists of arcs. */
void gp_prefetch_nodes(const gp_callgraph *graph, const uint32_t *nodes, size_t count);
void gp_prefetch_entries(const gp_callgraph *graph, const uint32_t *nodes, size_t count);

/* The same for the arcs after arcs[0], and the nodes at their ends. */
void gp_prefetch_arcs(const gp_callgraph *graph, const uint32_t *arcs, size_t count);

#endif
