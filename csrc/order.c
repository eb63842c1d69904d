/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes first in a report. */
#include "order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "propagate.h"
#include "sort.h"

static const char *name_of(const gp_graph *graph, uint32_t function) {
  return graph->symtab->name[function];
}

/* --- entries --------------------------------------------------------------- */

/* More time first; cycles before functions; names without underscore before those
 * with one; more calls; by name. Cycles of equal time keep their order. */
static bool entry_before(const void *context, uint32_t b, uint32_t a) {
  const gp_graph *graph = context;
  double time_a = graph->shown_self[a] + graph->shown_children[a];
  double time_b = graph->shown_self[b] + graph->shown_children[b];
  if (time_a != time_b) return time_b > time_a;
  bool cycle_a = a >= graph->functions, cycle_b = b >= graph->functions;
  if (cycle_a || cycle_b) return cycle_b && !cycle_a;
  const char *name_a = name_of(graph, a), *name_b = name_of(graph, b);
  bool under_a = name_a[0] == '_', under_b = name_b[0] == '_';
  if (under_a != under_b) return under_a;
  if (graph->calls[a] != graph->calls[b]) return graph->calls[b] > graph->calls[a];
  return strcmp(name_b, name_a) < 0;
}

bool gp_order_entries(gp_graph *graph, gp_error *error) {
  size_t nodes = graph->functions + graph->cycles;
  graph->entries = gp_identity(nodes);
  graph->rank = gp_column(nodes, sizeof *graph->rank);
  if (!graph->entries || !graph->rank ||
      !gp_sort(graph->entries, nodes, entry_before, graph))
    return gp_fail_memory(error);
  uint32_t rank = 0;
  for (size_t i = 0; i < nodes; i++) {
    uint32_t node = graph->entries[i];
    bool part = node < graph->functions && gp_symtab_owner(graph->symtab, node) != node;
    graph->rank[node] = part ? 0 : ++rank;
  }
  return true;
}

uint32_t *gp_order_nodes(const gp_graph *graph, size_t *count) {
  size_t nodes = graph->functions + graph->cycles;
  uint32_t *column = gp_column(nodes, sizeof *column);
  *count = 0;
  for (size_t i = 0; column && i < nodes; i++)
    if (graph->rank[graph->entries[i]] != 0) column[(*count)++] = graph->entries[i];
  return column;
}

uint32_t *gp_order_cycles(const gp_graph *graph, size_t *count) {
  uint32_t *column = gp_identity(graph->cycles);
  *count = graph->cycles;
  for (size_t i = 0; column && i < *count; i++) column[i] += (uint32_t)graph->functions;
  return column;
}

/* --- functions ------------------------------------------------------------- */

static bool by_name(const void *context, uint32_t b, uint32_t a) {
  return strcmp(name_of(context, b), name_of(context, a)) < 0;
}

static bool by_self(const void *context, uint32_t b, uint32_t a) {
  const gp_graph *graph = context;
  if (graph->self[a] != graph->self[b]) return graph->self[b] > graph->self[a];
  if (graph->calls[a] != graph->calls[b]) return graph->calls[b] > graph->calls[a];
  return by_name(graph, b, a);
}

uint32_t *gp_order_functions(const gp_graph *graph, gp_function_order order,
                             size_t *count) {
  uint32_t *functions = gp_identity(graph->functions);
  if (!functions) return NULL;
  *count = 0;
  for (uint32_t f = 0; f < graph->functions; f++)
    if (gp_symtab_owner(graph->symtab, f) == f) functions[(*count)++] = f;
  if (order == GP_BY_ADDRESS) return functions;
  if (gp_sort(functions, *count, order == GP_BY_NAME ? by_name : by_self, graph))
    return functions;
  free(functions);
  return NULL;
}

/* --- arcs ------------------------------------------------------------------ */

/* Calls of oneself, then calls inside a cycle, then calls that move time. */
static int arc_kind(const gp_graph *graph, uint32_t arc) {
  uint32_t caller = graph->caller[arc], callee = graph->callee[arc];
  return caller == callee ? 0 : gp_graph_same_cycle(graph, caller, callee) ? 1 : 2;
}

/* What arcs are put in order by. */
typedef struct arc_size {
  int kind;
  double time;      /* in ticks, if it moves any */
  uint64_t count;
} arc_size;

static arc_size measure(const gp_graph *graph, uint32_t arc) {
  arc_size size = {arc_kind(graph, arc), 0, graph->count[arc]};
  if (size.kind == 2) {
    gp_arc_time time = gp_propagated(graph, arc);
    size.time = time.self + time.children;
  }
  return size;
}

static bool is_smaller(const arc_size *x, const arc_size *y) {
  if (x->kind != y->kind) return x->kind < y->kind;
  if (x->time != y->time) return x->time < y->time;
  return x->count < y->count;
}

static bool ascending(const void *sizes, uint32_t b, uint32_t a) {
  return is_smaller((const arc_size *)sizes + b, (const arc_size *)sizes + a);
}

static bool descending(const void *sizes, uint32_t b, uint32_t a) {
  return ascending(sizes, a, b);
}

/* Sorts a column of arcs, which is freed. All are measured first: that costs far more than
 * comparing. Returns a new column, or NULL. */
static uint32_t *sorted_arcs(const gp_graph *graph, uint32_t *arcs, size_t count,
                             gp_before *before) {
  arc_size *sizes = arcs ? gp_column(count, sizeof *sizes) : NULL;
  uint32_t *places = sizes ? gp_identity(count) : NULL;
  for (size_t i = 0; places && i < count; i++) sizes[i] = measure(graph, arcs[i]);
  bool done = places && gp_sort(places, count, before, sizes);
  for (size_t i = 0; done && i < count; i++) places[i] = arcs[places[i]];
  free(arcs);
  free(sizes);
  if (done) return places;
  free(places);
  return NULL;
}

/* Copies a chain of numbers, last one first: arcs in the order of their creation. */
static uint32_t *unchain(uint32_t first, const uint32_t *next, size_t *count) {
  *count = 0;
  for (uint32_t i = first; i != GP_NONE; i = next[i]) ++*count;
  uint32_t *column = gp_column(*count, sizeof *column);
  if (!column) return NULL;
  size_t place = *count;
  for (uint32_t i = first; i != GP_NONE; i = next[i]) column[--place] = i;
  return column;
}

/* The same in the chain's own order. */
static uint32_t *copy_chain(uint32_t first, const uint32_t *next, size_t *count) {
  uint32_t *column = unchain(first, next, count);
  for (size_t i = 0; column && i < *count / 2; i++) {
    uint32_t row = column[i];
    column[i] = column[*count - 1 - i];
    column[*count - 1 - i] = row;
  }
  return column;
}

static uint32_t *sorted(uint32_t *column, size_t count, gp_before *before,
                        const gp_graph *graph) {
  if (column && gp_sort(column, count, before, graph)) return column;
  free(column);
  return NULL;
}

static bool by_count(const void *context, uint32_t b, uint32_t a) {
  const gp_graph *graph = context;
  return graph->count[b] > graph->count[a];
}

uint32_t *gp_order_arcs(const gp_graph *graph, gp_arc_order order, size_t *count) {
  uint32_t *arcs = gp_identity(graph->arcs);
  *count = graph->arcs;
  return order == GP_BY_CREATION ? arcs : sorted(arcs, *count, by_count, graph);
}

/* Tells in which order arcs came out, and by what. `end` is the column of the functions
 * at the other end. */
static void trace_arcs(const gp_graph *graph, const char *side, const uint32_t *end,
                       uint32_t function, const uint32_t *arcs, size_t count) {
  static const char *const kinds[] = {"of itself", "in the cycle", "that move time"};
  const gp_trace *trace = graph->symtab->trace;
  if (!arcs || !gp_traces(trace, GP_TRACE_ARC_ORDER)) return;
  for (size_t i = 0; i < count; i++) {
    gp_arc_time time = gp_propagated(graph, arcs[i]);
    gp_trace_write(trace, GP_TRACE_ARC_ORDER,
                   "%s %zu of %s: %s, %" PRIu64 " calls %s, %g ticks", side, i + 1,
                   name_of(graph, function), name_of(graph, end[arcs[i]]),
                   graph->count[arcs[i]], kinds[arc_kind(graph, arcs[i])],
                   time.self + time.children);
  }
}

uint32_t *gp_order_callers(const gp_graph *graph, uint32_t function, size_t *count) {
  uint32_t *arcs = unchain(graph->first_caller[function], graph->next_caller, count);
  arcs = sorted_arcs(graph, arcs, *count, ascending);
  trace_arcs(graph, "caller", graph->caller, function, arcs, *count);
  return arcs;
}

uint32_t *gp_order_callees(const gp_graph *graph, uint32_t function, size_t *count) {
  uint32_t *arcs = unchain(graph->first_callee[function], graph->next_callee, count);
  arcs = sorted_arcs(graph, arcs, *count, descending);
  trace_arcs(graph, "callee", graph->callee, function, arcs, *count);
  return arcs;
}

/* --- members of a cycle ---------------------------------------------------- */

static bool member_before(const void *context, uint32_t b, uint32_t a) {
  const gp_graph *graph = context;
  double time_a = graph->shown_self[a] + graph->shown_children[a];
  double time_b = graph->shown_self[b] + graph->shown_children[b];
  if (time_a != time_b) return time_b > time_a;
  return graph->calls[b] + graph->self_calls[b] > graph->calls[a] + graph->self_calls[a];
}

uint32_t *gp_order_members(const gp_graph *graph, uint32_t cycle, size_t *count) {
  uint32_t head = graph->head[cycle - graph->functions];
  uint32_t *members = copy_chain(head, graph->next_member, count);
  return sorted(members, *count, member_before, graph);
}

/* --- lines of a function ---------------------------------------------------- */

uint32_t *gp_order_lines(const gp_graph *graph, uint32_t function, size_t *count) {
  return copy_chain(function, graph->symtab->next_line, count);
}
