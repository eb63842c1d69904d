/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Directed graphs, and what follows from their shape: which nodes a node dominates, and
 * how much weight it can reach.
 */
#ifndef GP_PROFILE_BOUNDS_DIGRAPH_H
#define GP_PROFILE_BOUNDS_DIGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* The arcs of node n lead to to[first[n]] .. to[first[n + 1] - 1]. */
typedef struct gp_digraph {
  size_t nodes;
  uint32_t *first, *to;
} gp_digraph;

/* Builds a graph from arcs in columns. There may be several arcs between two nodes. False
 * if there is no memory; then there is nothing to free. */
bool gp_digraph_build(gp_digraph *graph, size_t nodes, const uint32_t *from,
                      const uint32_t *to, size_t arcs);
void gp_digraph_free(gp_digraph *graph);

/* Sets reached[n] for each node n on a path from `root`, and for `root`. Stops at nodes
 * that are set already. `stack` has room for all nodes. */
void gp_digraph_reach(const gp_digraph *graph, uint32_t root, bool *reached,
                      uint32_t *stack);

/* Adds to weight[n] the weights of all nodes that n dominates: those to which each path
 * from `root` leads through n. Nodes that cannot be reached from `root` keep their
 * weights. False if there is no memory. Takes time in proportion to the arcs, apart from
 * a logarithm. */
bool gp_digraph_dominate(const gp_digraph *graph, uint32_t root, double *weight);

/* Sets reach[n] to the sum of the weights of n and all nodes on paths from n. If more
 * than a few thousand strongly connected components have weight, some of the lightest are
 * counted all together as soon as one of them can be reached. False if there is no
 * memory. */
bool gp_digraph_weigh(const gp_digraph *graph, const double *weight, double *reach);

#endif
