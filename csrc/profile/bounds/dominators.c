/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dominators, by the simple version of the algorithm of Lengauer and Tarjan ("A fast
 * algorithm for finding dominators in a flowgraph", 1979).
 *
 * Nodes are numbered in the order of a depth-first search from the root, which is 0; all
 * columns below are indexed by these numbers. The semidominator of a node is the lowest
 * node from which a path leads to it through higher nodes only. Nodes are processed from
 * the highest to the lowest, and linked to their parents in a forest. Searches and path
 * compression are iterative, because the input decides how deep call chains are.
 */
#include <stdlib.h>

#include "base/array.h"
#include "profile/bounds/digraph.h"

typedef struct search {
  size_t count;           /* nodes reached */
  uint32_t *node;         /* the graph's node */
  uint32_t *number;       /* by the graph's node: its number, or GP_NONE */
  uint32_t *parent;       /* in the tree of the search */
  uint32_t *semi;         /* the semidominator, as far as it is known */
  uint32_t *dominator;    /* the immediate dominator */
  uint32_t *ancestor;     /* in the forest; GP_NONE for a root */
  uint32_t *best;         /* the node with the lowest semidominator on the compressed path
                             to the root of the forest */
  uint32_t *bucket;       /* the first node with this semidominator; GP_NONE at the end */
  uint32_t *next;         /* the next node in the same bucket */
  uint32_t *stack, *arc;
  gp_digraph callers;     /* the arcs between reached nodes, reversed */
} search;

static bool allocate(search *s, size_t nodes) {
  uint32_t **columns[] = {&s->node, &s->number, &s->parent, &s->semi, &s->dominator,
                          &s->ancestor, &s->best, &s->bucket, &s->next, &s->stack,
                          &s->arc};
  bool done = true;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    uint32_t *column = *columns[i] = gp_column(nodes, sizeof *column);
    if (column) memset(column, 0xff, (nodes ? nodes : 1) * sizeof *column);  /* GP_NONE */
    done = column && done;
  }
  return done;
}

static void enter(search *s, const gp_digraph *graph, size_t depth, uint32_t node) {
  uint32_t number = (uint32_t)s->count++;
  s->number[node] = number;
  s->node[number] = node;
  s->parent[number] = depth > 0 ? s->number[s->stack[depth - 1]] : GP_NONE;
  s->semi[number] = s->best[number] = number;
  s->stack[depth] = node;
  s->arc[depth] = graph->first[node];
}

/* Numbers the nodes that can be reached from `root`. */
static void number_nodes(search *s, const gp_digraph *graph, uint32_t root) {
  size_t depth = 0;
  enter(s, graph, depth++, root);
  while (depth > 0) {
    uint32_t node = s->stack[depth - 1], arc = s->arc[depth - 1];
    if (arc == graph->first[node + 1]) {
      depth--;
      continue;
    }
    s->arc[depth - 1]++;
    if (s->number[graph->to[arc]] == GP_NONE) enter(s, graph, depth++, graph->to[arc]);
  }
}

/* Reverses the arcs between reached nodes. */
static bool reverse(search *s, const gp_digraph *graph) {
  size_t all = graph->first[graph->nodes], count = 0;
  uint32_t *from = gp_column(all, sizeof *from), *to = gp_column(all, sizeof *to);
  for (uint32_t n = 0; from && to && n < s->count; n++) {
    uint32_t node = s->node[n];
    for (uint32_t a = graph->first[node]; a < graph->first[node + 1]; a++) {
      from[count] = s->number[graph->to[a]];
      to[count++] = n;
    }
  }
  bool done = from && to && gp_digraph_build(&s->callers, s->count, from, to, count);
  free(from);
  free(to);
  return done;
}

/* Makes the path from `node` point to the root of its tree in the forest. */
static void compress(search *s, uint32_t node) {
  size_t depth = 0;
  for (; s->ancestor[s->ancestor[node]] != GP_NONE; node = s->ancestor[node])
    s->stack[depth++] = node;
  while (depth > 0) {
    uint32_t n = s->stack[--depth], above = s->ancestor[n];
    if (s->semi[s->best[above]] < s->semi[s->best[n]]) s->best[n] = s->best[above];
    s->ancestor[n] = s->ancestor[above];
  }
}

/* Returns the node with the lowest semidominator between `node` and the root of its tree,
 * which is excluded unless it is `node`. */
static uint32_t evaluate(search *s, uint32_t node) {
  if (s->ancestor[node] == GP_NONE) return node;
  compress(s, node);
  return s->best[node];
}

/* Sets the dominators of the nodes whose semidominator is `semi`; those that are found
 * only later are set to a node with the same dominator. */
static void empty_bucket(search *s, uint32_t semi) {
  for (uint32_t n = s->bucket[semi]; n != GP_NONE; n = s->next[n]) {
    uint32_t lowest = evaluate(s, n);
    s->dominator[n] = s->semi[lowest] < s->semi[n] ? lowest : semi;
  }
  s->bucket[semi] = GP_NONE;
}

static void find_dominators(search *s) {
  for (uint32_t n = (uint32_t)s->count; n-- > 1;) {
    for (uint32_t a = s->callers.first[n]; a < s->callers.first[n + 1]; a++) {
      uint32_t lowest = evaluate(s, s->callers.to[a]);
      if (s->semi[lowest] < s->semi[n]) s->semi[n] = s->semi[lowest];
    }
    s->next[n] = s->bucket[s->semi[n]];
    s->bucket[s->semi[n]] = n;
    s->ancestor[n] = s->parent[n];
    empty_bucket(s, s->parent[n]);
  }
  for (uint32_t n = 1; n < s->count; n++)
    if (s->dominator[n] != s->semi[n]) s->dominator[n] = s->dominator[s->dominator[n]];
}

bool gp_digraph_dominate(const gp_digraph *graph, uint32_t root, double *weight) {
  search s = {0};
  bool done = allocate(&s, graph->nodes);
  if (done) number_nodes(&s, graph, root);
  done = done && reverse(&s, graph);
  if (done) {
    find_dominators(&s);
    for (uint32_t n = (uint32_t)s.count; n-- > 1;)
      weight[s.node[s.dominator[n]]] += weight[s.node[n]];
  }
  uint32_t *columns[] = {s.node, s.number, s.parent, s.semi, s.dominator, s.ancestor,
                         s.best, s.bucket, s.next, s.stack, s.arc};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) free(columns[i]);
  gp_digraph_free(&s.callers);
  return done;
}
