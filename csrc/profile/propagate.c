/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Propagates time along the arcs, from callees to callers.
 *
 * The order of additions matters, and so does dividing counts before multiplying. Both
 * affect the last bit of a time, and so the order of entries with nearly equal times.
 * Both are the same as in GNU gprof.
 */
#include "profile/propagate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/prefetch.h"

static bool allocate(gp_callgraph *graph) {
  size_t nodes = graph->functions + graph->cycles;
  graph->self = gp_column(nodes, sizeof *graph->self);
  graph->children = gp_column(nodes, sizeof *graph->children);
  graph->share = gp_column(nodes, sizeof *graph->share);
  graph->shown_self = gp_column(nodes, sizeof *graph->shown_self);
  graph->shown_children = gp_column(nodes, sizeof *graph->shown_children);
  graph->printed = gp_column(nodes, sizeof *graph->printed);
  graph->moved = gp_column(graph->arcs, sizeof *graph->moved);
  return graph->self && graph->children && graph->share && graph->shown_self &&
         graph->shown_children && graph->printed && graph->moved;
}

/* Sorts the functions by number, then by address. Uses a counting sort, because the
 * numbers are dense. */
static uint32_t *by_number(const gp_callgraph *graph) {
  size_t count = graph->functions;
  uint32_t *order = gp_column(count, sizeof *order);
  size_t *start = gp_column(count + 2, sizeof *start);
  if (order && start) {
    for (size_t f = 0; f < count; f++) start[graph->number[f] + 1]++;
    for (size_t n = 1; n < count + 2; n++) start[n] += start[n - 1];
    for (size_t f = 0; f < count; f++)
      order[start[graph->number[f]]++] = (uint32_t)f;
  } else {
    free(order);
    order = NULL;
  }
  free(start);
  return order;
}

/* Returns the part of a node's own time, or else of its children's time, that is not in
 * inlined code. Without time, it is 1 if the node was called. */
static double called_part(const gp_callgraph *graph, uint32_t node) {
  if (graph->self[node] > 0) return 1 - graph->inlined_self[node] / graph->self[node];
  return graph->calls[node] != 0 || graph->inlined_children[node] == 0 ? 1 : 0;
}

/* Returns the part of a node's time that an arc carries, if the time of inlined code is
 * measured. */
static double part_of_caller(const gp_callgraph *graph, uint32_t arc, uint32_t node) {
  double called = called_part(graph, node), part = 0;
  double inlined = graph->inlined_self[node] + graph->inlined_children[node];
  if (inlined > 0)
    part = (1 - called) * (graph->arc_self[arc] + graph->arc_children[arc]) / inlined;
  if (graph->calls[node] != 0)
    part += called * (double)graph->count[arc] / (double)graph->calls[node];
  return part;
}

/* Adds to a node the `printed` and `share` that it inherits from the callers of
 * `function`. Returns the number of their calls. */
static uint64_t inherit_from_callers(gp_callgraph *graph, uint32_t node,
                                     uint32_t function) {
  uint64_t calls = 0;
  const gp_arc_lists *callers = &graph->callers;
  for (uint32_t i = callers->start[function + 1]; i-- > callers->start[function];) {
    uint32_t a = callers->arc[i];
    uint32_t caller = graph->caller[a];
    if (caller == function || gp_callgraph_same_cycle(graph, caller, function)) continue;
    calls += graph->count[a];
    graph->printed[node] |= graph->printed[caller];
    if (graph->inlined_self)
      graph->share[node] += graph->share[caller] * part_of_caller(graph, a, node);
    else if (graph->calls[node] != 0 && !graph->arc_self)
      graph->share[node] += graph->share[caller] *
                            ((double)graph->count[a] / (double)graph->calls[node]);
  }
  return calls;
}

/* Adds to a node the `share` of calls that are in no arc, because their callers are
 * unknown: all of it, unless the user includes the time of certain functions only. */
static void inherit_from_unknown(gp_callgraph *graph, uint32_t node, uint64_t known,
                                 const gp_selection *time) {
  uint64_t calls = graph->calls[node];
  if (graph->arc_self && !graph->inlined_self) return;
  if (!time->include && calls > known)
    graph->share[node] += (double)(calls - known) / (double)calls *
                          (graph->inlined_self ? called_part(graph, node) : 1);
}

/* A cycle inherits from the callers of all members, and passes the result to every
 * member. */
static void inherit_cycle(gp_callgraph *graph, uint32_t cycle, const gp_selection *time) {
  uint32_t head = graph->head[cycle - graph->functions];
  uint64_t known = 0;
  for (uint32_t m = head; m != GP_NONE; m = graph->next_member[m])
    known += inherit_from_callers(graph, cycle, m);
  inherit_from_unknown(graph, cycle, known, time);
  for (uint32_t m = head; m != GP_NONE; m = graph->next_member[m]) {
    graph->printed[m] = graph->printed[cycle];
    graph->share[m] = graph->share[cycle];
  }
}

/* Applies the user's selections, which override the inherited values. */
static void override(gp_callgraph *graph, uint32_t function, const gp_selection *print,
                     const gp_selection *time) {
  if (!graph->printed[function])
    graph->printed[function] = gp_is_selected(print, function);
  else if (gp_is_excluded(print, function) && !gp_is_included(print, function))
    graph->printed[function] = false;
  if (graph->share[function] == 0)
    graph->share[function] = gp_is_selected(time, function) ? 1 : 0;
  else if (gp_is_excluded(time, function) && !gp_is_included(time, function))
    graph->share[function] = 0;
}

/* Computes `printed` and `share`, callers before callees. The members of a cycle have the
 * same number and are adjacent; the first one triggers inherit_cycle for all. */
static void inherit_all(gp_callgraph *graph, const uint32_t *order,
                        const gp_selection *print, const gp_selection *time) {
  uint32_t last_cycle = GP_NONE;
  for (size_t i = graph->functions; i-- > 0;) {
    uint32_t function = order[i], cycle = graph->cycle[function];
    if (cycle == GP_NONE)
      inherit_from_unknown(graph, function,
                           inherit_from_callers(graph, function, function), time);
    else if (cycle != last_cycle)
      inherit_cycle(graph, last_cycle = cycle, time);
    override(graph, function, print, time);
    graph->shown_self[function] = graph->self[function] * graph->share[function];
    graph->total += graph->shown_self[function];
    GP_TRACE(graph->symtab->trace, GP_TRACE_PROPAGATION,
             "%s: time share %g, %g self ticks, %s in the call graph",
             graph->symtab->name[function], graph->share[function], graph->self[function],
             graph->printed[function] ? "printed" : "not printed");
  }
}

/* Computes the self time of each cycle: the sum over the members whose time is included.
 * Measured times are not divided by calls, so cycles inherit no share of them. */
static void add_up_cycles(gp_callgraph *graph) {
  bool measured = graph->arc_self && !graph->inlined_self;
  for (size_t i = 0; i < graph->cycles; i++) {
    size_t cycle = graph->functions + i;
    for (uint32_t m = graph->head[i]; m != GP_NONE; m = graph->next_member[m]) {
      if (graph->share[m] == 0) continue;
      graph->self[cycle] += graph->self[m];
      if (measured) graph->share[cycle] = 1;
    }
    graph->shown_self[cycle] = graph->self[cycle] * graph->share[cycle];
  }
}

static double positive(double number) { return number > 0 ? number : 0; }

/* Adds the part of the callee's time that is not in inlined code, in proportion to
 * calls. */
static void add_called(const gp_callgraph *graph, uint32_t arc, gp_arc_time *time) {
  uint32_t node = gp_callgraph_whole(graph, graph->callee[arc]);
  if (graph->count[arc] == 0 || graph->calls[node] == 0) return;
  double part = (double)graph->count[arc] / (double)graph->calls[node];
  time->self += part * positive(graph->self[node] - graph->inlined_self[node]);
  time->children +=
      part * positive(graph->children[node] - graph->inlined_children[node]);
}

/* Sets `*time` to the part of the callee's time that an arc carries, before it is
 * multiplied by the caller's share. False if the arc moves no time. */
static bool arc_moves(const gp_callgraph *graph, uint32_t arc, gp_arc_time *time) {
  uint32_t callee = graph->callee[arc];
  if (gp_callgraph_is_recursive(graph, arc) || graph->share[callee] == 0) return false;
  if (graph->arc_self) {
    *time = (gp_arc_time){graph->arc_self[arc], graph->arc_children[arc]};
    if (graph->inlined_self) add_called(graph, arc, time);
    return time->self + time->children > 0;
  }
  uint32_t node = gp_callgraph_whole(graph, callee);
  if (graph->count[arc] == 0 || graph->calls[node] == 0) return false;
  double part = (double)graph->count[arc] / (double)graph->calls[node];
  time->self = graph->self[node] * part;
  time->children = graph->children[node] * part;
  return true;
}

static void trace_moved(const gp_callgraph *graph, uint32_t arc,
                        const gp_arc_time *time) {
  const gp_symtab *symtab = graph->symtab;
  uint32_t caller = graph->caller[arc], callee = graph->callee[arc];
  gp_trace_write(symtab->trace, GP_TRACE_PROPAGATION,
                 "%s gets %g + %g ticks from %s%s (%" PRIu64 " of %" PRIu64
                 " calls), %g ticks from callees so far",
                 symtab->name[caller], time->self, time->children, symtab->name[callee],
                 graph->cycle[callee] == GP_NONE ? "" : " and its cycle",
                 graph->count[arc], graph->calls[gp_callgraph_whole(graph, callee)],
                 graph->children[caller]);
}

/* Starts to load the callees of a function. */
GP_PREFETCHES void prefetch_callees(const gp_callgraph *graph, uint32_t caller) {
  const gp_arc_lists *callees = &graph->callees;
  for (uint32_t i = callees->start[caller]; i < callees->start[caller + 1]; i++)
    gp_prefetch_callee(graph, graph->callee[callees->arc[i]]);
}

/* Adds the time of the callees of a function to its children time. */
static void gather(gp_callgraph *graph, uint32_t caller) {
  double share = graph->share[caller];
  if (share == 0) return;
  uint32_t cycle = graph->cycle[caller];
  bool traced = gp_traces(graph->symtab->trace, GP_TRACE_PROPAGATION);
  const gp_arc_lists *callees = &graph->callees;
  for (uint32_t i = callees->start[caller + 1]; i-- > callees->start[caller];) {
    uint32_t a = callees->arc[i];
    gp_arc_time time;
    if (!arc_moves(graph, a, &time)) continue;
    double both = time.self + time.children;
    graph->moved[a] = (gp_arc_time){share * time.self, share * time.children};
    graph->children[caller] += both;
    graph->shown_children[caller] += share * both;
    if (traced) trace_moved(graph, a, &time);
    if (cycle == GP_NONE) continue;
    graph->children[cycle] += both;
    graph->shown_children[cycle] += share * both;
  }
}

bool gp_propagate(gp_callgraph *graph, const gp_samples *samples,
                  const gp_selection *print, const gp_selection *time, gp_error *error) {
  if (!allocate(graph)) return gp_fail_memory(error);
  uint32_t *order = by_number(graph);
  if (!order) return gp_fail_memory(error);
  memcpy(graph->self, samples->ticks, graph->functions * sizeof *graph->self);
  inherit_all(graph, order, print, time);
  add_up_cycles(graph);
  for (size_t i = 0; i < graph->functions; i++) {
    if (i + 1 < graph->functions) prefetch_callees(graph, order[i + 1]);
    gather(graph, order[i]);
  }
  free(order);
  return true;
}
