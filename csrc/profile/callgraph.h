/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call graph.
 *
 * Nodes are numbered: the symbols of the symbol table first, then the cycles of
 * recursion that were found among them. Arcs are numbered in the order in which
 * they were created. Both are rows of columns; lists of arcs are chains of arc
 * numbers, newest first, because ties in the reports are decided by that order.
 *
 * This file joins calls between addresses to arcs between functions. Who is in a
 * cycle is found by cycles.h, times are moved along the arcs by propagate.h, and
 * what comes first in a report is said by order.h.
 */
#ifndef GP_PROFILE_CALLGRAPH_H
#define GP_PROFILE_CALLGRAPH_H

#include "gmon/gmon.h"
#include "profile/selection.h"
#include "profile/static_calls.h"
#include "symbols/symtab.h"

typedef struct gp_callgraph {
  const gp_symtab *symtab;
  size_t functions;         /* nodes below this number are symbols */
  size_t cycles;            /* this many nodes follow */

  /* per arc */
  size_t arcs;
  uint32_t *caller, *callee;
  uint64_t *count;
  uint32_t *next_callee;    /* the caller's next arc, or GP_NONE */
  uint32_t *next_caller;    /* the callee's next arc, or GP_NONE */

  /* per function */
  uint32_t *first_callee, *first_caller;
  uint32_t *number;         /* callees have lower ones; one for all of a cycle */
  uint32_t *cycle;          /* the node of its cycle, or GP_NONE */
  uint32_t *next_member;    /* chain of a cycle's members from its head */

  /* per cycle */
  uint32_t *head;           /* its member met first: the chain's beginning */

  /* per node */
  uint64_t *calls;          /* from others (a cycle's: from outside it) */
  uint64_t *self_calls;     /* from itself (a cycle's: between its members) */
  double *self;             /* ticks spent in it */
  double *children;         /* ticks spent below it */
  double *share;            /* the part of its time that counts in the graph */
  double *shown_self;       /* self and children as the graph shows them: the */
  double *shown_children;   /*   shares that count, in ticks */
  bool *printed;            /* has an entry of its own */
  double total;             /* ticks that count in the graph */

  /* the entries in the order of the report, and each node's place there */
  uint32_t *entries;
  uint32_t *rank;
} gp_callgraph;

/* Builds arcs between functions from arcs between addresses. What meets no symbol at
 * either end is dropped; `met` tells how many calls' arcs were not. Calls by unknown
 * callers (gp_unknown_caller) count among the callee's, but are no arcs. Calls that are
 * not selected count neither as arcs nor among the callee's calls. Then come the calls
 * found in the code, as arcs with a count of 0 where there are none yet. */
bool gp_callgraph_build(gp_callgraph *graph, const gp_data *data,
                        const gp_static_calls *found, const gp_symtab *symtab,
                        const gp_arc_selection *selection, size_t *met, gp_error *error);
void gp_callgraph_free(gp_callgraph *graph);

/* The node that stands for a function when calls from outside are looked at: its
 * cycle, or itself. */
static inline uint32_t gp_callgraph_whole(const gp_callgraph *graph, uint32_t function) {
  uint32_t cycle = graph->cycle[function];
  return cycle == GP_NONE ? function : cycle;
}

/* Whether both are members of one cycle. */
static inline bool gp_callgraph_same_cycle(const gp_callgraph *graph, uint32_t a,
                                           uint32_t b) {
  return graph->cycle[a] != GP_NONE && graph->cycle[a] == graph->cycle[b];
}

/* A call of oneself, or between members of one cycle: it moves no time. */
static inline bool gp_callgraph_is_recursive(const gp_callgraph *graph, uint32_t arc) {
  uint32_t caller = graph->caller[arc], callee = graph->callee[arc];
  return caller == callee || gp_callgraph_same_cycle(graph, caller, callee);
}

/* Calls of an arc's callee, or of its cycle, from all its callers. */
static inline uint64_t gp_callgraph_calls_of_callee(const gp_callgraph *graph,
                                                    uint32_t arc) {
  return graph->calls[gp_callgraph_whole(graph, graph->callee[arc])];
}

/* The part of a node in all time that counts in the graph. */
static inline double gp_callgraph_percent(const gp_callgraph *graph, uint32_t node) {
  double ticks = graph->shown_self[node] + graph->shown_children[node];
  return graph->total > 0 ? 100 * ticks / graph->total : 0;
}

/* Whether anything that counts in the graph was seen of a node. */
static inline bool gp_callgraph_is_used(const gp_callgraph *graph, uint32_t node) {
  return graph->calls[node] != 0 || graph->self_calls[node] != 0 ||
         graph->shown_self[node] != 0 || graph->shown_children[node] != 0;
}

/* Whether a node stands for what calls a shared library from outside. Nothing is seen of
 * it but that it calls. */
static inline bool gp_callgraph_is_outside(const gp_callgraph *graph, uint32_t node) {
  return node < graph->functions && graph->symtab->flags[node] & GP_CALLERS &&
         graph->first_callee[node] != GP_NONE;
}

#endif
