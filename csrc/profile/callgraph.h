/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call graph.
 *
 * Nodes are numbered: first the symbols of the symbol table, then the cycles of recursive
 * functions. Arcs are numbered in order of creation. These numbers are row numbers in the
 * columns below. Each function has two lists of arcs. Cycles are found, and time is added
 * up, from the newest arc of a list to the oldest; this decides ties in reports.
 *
 * This file turns calls between addresses into arcs between functions. cycles.h finds the
 * cycles, propagate.h moves time along the arcs, order.h sorts for the reports.
 */
#ifndef GP_PROFILE_CALLGRAPH_H
#define GP_PROFILE_CALLGRAPH_H

#include "gmon/gmon.h"
#include "profile/code/static_calls.h"
#include "profile/selection.h"
#include "symbols/symtab.h"

/* The steps of call paths, sorted. Their calls are from an unknown caller in the data. */
typedef struct gp_path_steps {
  size_t count;
  uint32_t *caller, *callee;
  uint64_t *calls;
  bool *inlined;      /* the callee is inlined into the caller. The column is NULL if
                         none is */
} gp_path_steps;

void gp_path_steps_free(gp_path_steps *steps);

/* For each function, a list of arcs in order of creation: rows start[f] to
 * start[f + 1] - 1 of `arc`. Neighbouring functions have neighbouring lists, so walks
 * over all functions read memory in order. */
typedef struct gp_arc_lists {
  uint32_t *start;
  uint32_t *arc;
} gp_arc_lists;

/* The self time and the children's time that an arc moves from its callee, or from the
 * callee's cycle, to its caller, in ticks. */
typedef struct gp_arc_time {
  double self, children;
} gp_arc_time;

typedef struct gp_callgraph {
  const gp_symtab *symtab;
  size_t functions;         /* nodes below this number are symbols */
  size_t cycles;            /* number of cycles, the nodes after the functions */

  /* per arc */
  size_t arcs;
  bool has_static;          /* calls found in the machine code are among the arcs */
  uint32_t *caller, *callee;
  uint64_t *count;
  bool *inlined;            /* the callee is inlined into the caller, at least somewhere;
                               such code has no calls */
  double *arc_self;         /* measured ticks in the callee's own code for the caller */
  double *arc_children;     /* the same in its callees; both NULL if not measured. If
                               only the time of inlined code is measured, there are also
                               `inlined_self` and `inlined_children` */
  gp_arc_time *moved;       /* the time that the arc moves; 0 for calls within a cycle */

  /* per function */
  gp_arc_lists callees;     /* arcs out of the function */
  gp_arc_lists callers;     /* arcs into the function */
  uint32_t *number;         /* topological number: callees have lower numbers; members of
                               a cycle have equal numbers */
  uint32_t *cycle;          /* node of the function's cycle, or GP_NONE */
  uint32_t *next_member;    /* next member of the same cycle, or GP_NONE */

  /* per cycle */
  uint32_t *head;           /* the first member: where the search entered the cycle */

  /* per node */
  uint64_t *calls;          /* calls from other functions (for a cycle: from outside) */
  uint64_t *self_calls;     /* self-calls; for a cycle: calls between different members */
  double *self;             /* ticks in the node's own code */
  double *children;         /* ticks in callees, on behalf of the node */
  double *inlined_self;     /* the part of `self` in arc_self; NULL unless only the time
                               of inlined code is measured */
  double *inlined_children; /* the part of `children` in arc_children; or NULL */
  double *share;            /* included fraction of the node's time, 0 to 1 */
  double *shown_self;       /* the part of `self` included in the graph */
  double *shown_children;   /* the part of `children` included in the graph */
  bool *printed;            /* the node has an entry in the call graph */
  double total;             /* sum of all ticks included in the graph */

  /* `entries`: all nodes in the order of the report. `rank`: the position of each node in
   * this order, from 1; 0 for a cold part, which has no entry. Both are NULL until
   * gp_order_entries() is called: most outputs need no order of entries */
  uint32_t *entries;
  uint32_t *rank;
} gp_callgraph;

/* Builds arcs between functions from arcs between addresses.
 * - Arcs are dropped unless there is a function at both ends. Sets `*matched` to the
 *   number of the remaining arcs.
 * - Calls from unknown callers (gp_unknown_caller) are added to the callee's calls, but
 *   have no arc.
 * - Calls that are not selected are ignored.
 * - Each step of call paths becomes an arc. Its calls get a caller.
 * - Static calls (`found`) come last; each new pair becomes an arc with a count of 0.
 * Errors: no memory; a count that overflows. */
bool gp_callgraph_build(gp_callgraph *graph, const gp_data *data,
                        const gp_path_steps *steps, const gp_static_calls *found,
                        const gp_symtab *symtab, gp_arc_selection *selection,
                        size_t *matched, gp_error *error);
void gp_callgraph_free(gp_callgraph *graph);

/* Returns, for each symbol, the function that a call to its address enters, or GP_NONE.
 * For cold parts and lines, that is the function they belong to. A label not typed as a
 * function belongs to the preceding function. NULL if there is no memory. */
uint32_t *gp_callgraph_entered(const gp_symtab *symtab);

/* Returns the node whose calls from outside are counted: the function's cycle, or the
 * function itself. */
static inline uint32_t gp_callgraph_whole(const gp_callgraph *graph, uint32_t function) {
  uint32_t cycle = graph->cycle[function];
  return cycle == GP_NONE ? function : cycle;
}

/* Whether both functions are members of the same cycle. */
static inline bool gp_callgraph_same_cycle(const gp_callgraph *graph, uint32_t a,
                                           uint32_t b) {
  return graph->cycle[a] != GP_NONE && graph->cycle[a] == graph->cycle[b];
}

/* Whether an arc is a self-call or within a cycle. Such arcs move no time. */
static inline bool gp_callgraph_is_recursive(const gp_callgraph *graph, uint32_t arc) {
  uint32_t caller = graph->caller[arc], callee = graph->callee[arc];
  return caller == callee || gp_callgraph_same_cycle(graph, caller, callee);
}

/* Returns the number of all calls to an arc's callee. If the callee is in a cycle,
 * returns the number of all calls into the cycle from outside. */
static inline uint64_t gp_callgraph_calls_of_callee(const gp_callgraph *graph,
                                                    uint32_t arc) {
  return graph->calls[gp_callgraph_whole(graph, graph->callee[arc])];
}

/* Returns the node's percentage of the total time included in the graph. */
static inline double gp_callgraph_percent(const gp_callgraph *graph, uint32_t node) {
  double ticks = graph->shown_self[node] + graph->shown_children[node];
  return graph->total > 0 ? 100 * ticks / graph->total : 0;
}

/* Whether a node has calls or time in the graph. */
static inline bool gp_callgraph_is_used(const gp_callgraph *graph, uint32_t node) {
  return graph->calls[node] != 0 || graph->self_calls[node] != 0 ||
         graph->shown_self[node] != 0 || graph->shown_children[node] != 0;
}

/* Whether a node is the cold part of a function, which has no entry. */
static inline bool gp_callgraph_is_part(const gp_callgraph *graph, uint32_t node) {
  return node < graph->functions && gp_symtab_owner(graph->symtab, node) != node;
}

/* Whether a node is the symbol "<outside>", and has calls to other functions. The symbol
 * represents the callers outside a shared library. It is never called and has no time. */
static inline bool gp_callgraph_is_outside(const gp_callgraph *graph, uint32_t node) {
  return node < graph->functions && graph->symtab->flags[node] & GP_CALLERS &&
         graph->callees.start[node] < graph->callees.start[node + 1];
}

#endif
