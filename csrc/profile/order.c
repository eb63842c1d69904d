/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of functions, arcs and entries in reports. */
#include "profile/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "profile/prefetch.h"

static const char *name_of(const gp_callgraph *graph, uint32_t function) {
  return graph->symtab->name[function];
}

/* --- entries --------------------------------------------------------------- */

/* What an entry is sorted by: time, descending; cycles before functions; names without a
 * leading underscore before names with one; calls, descending; name. Cycles with equal
 * time keep their order. */
typedef struct entry_key {
  double time;
  const char *name;  /* NULL for a cycle */
  uint64_t calls;
} entry_key;

static bool entry_before(const void *context, uint32_t b, uint32_t a) {
  const entry_key *x = (const entry_key *)context + b;
  const entry_key *y = (const entry_key *)context + a;
  if (x->time != y->time) return x->time > y->time;
  if (!x->name || !y->name) return !x->name && y->name;
  bool under_x = x->name[0] == '_', under_y = y->name[0] == '_';
  if (under_x != under_y) return under_y;
  if (x->calls != y->calls) return x->calls > y->calls;
  return strcmp(x->name, y->name) < 0;
}

/* Returns the keys of all nodes; free() them. In large graphs, comparing columns would
 * miss the cache once for each column. */
static entry_key *entry_keys(const gp_callgraph *graph) {
  size_t nodes = graph->functions + graph->cycles;
  entry_key *keys = gp_column(nodes, sizeof *keys);
  for (uint32_t n = 0; keys && n < nodes; n++)
    keys[n] = (entry_key){graph->shown_self[n] + graph->shown_children[n],
                          n < graph->functions ? name_of(graph, n) : NULL,
                          graph->calls[n]};
  return keys;
}

bool gp_order_entries(gp_callgraph *graph) {
  if (graph->rank) return true;
  size_t nodes = graph->functions + graph->cycles;
  entry_key *keys = entry_keys(graph);
  uint32_t *entries = gp_identity(nodes), *rank = gp_column(nodes, sizeof *rank);
  bool done = keys && entries && rank && gp_sort(entries, nodes, entry_before, keys);
  free(keys);
  if (!done) {
    free(entries);
    free(rank);
    return false;
  }
  uint32_t last = 0;
  for (size_t i = 0; i < nodes; i++)
    rank[entries[i]] = gp_callgraph_is_part(graph, entries[i]) ? 0 : ++last;
  graph->entries = entries;
  graph->rank = rank;
  return true;
}

uint32_t *gp_order_nodes(gp_callgraph *graph, size_t *count) {
  *count = 0;
  if (!gp_order_entries(graph)) return NULL;
  size_t nodes = graph->functions + graph->cycles;
  uint32_t *column = gp_column(nodes, sizeof *column);
  for (size_t i = 0; column && i < nodes; i++)
    if (graph->rank[graph->entries[i]] != 0) column[(*count)++] = graph->entries[i];
  return column;
}

uint32_t *gp_order_cycles(const gp_callgraph *graph, size_t *count) {
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
  const gp_callgraph *graph = context;
  if (graph->self[a] != graph->self[b]) return graph->self[b] > graph->self[a];
  return graph->calls[b] > graph->calls[a];
}

bool gp_order_by_self(const gp_callgraph *graph, uint32_t *functions, size_t count) {
  return gp_sort(functions, count, by_self, graph);
}

uint32_t *gp_order_functions(const gp_callgraph *graph, gp_function_order order,
                             size_t *count) {
  uint32_t *functions = gp_identity(graph->functions);
  if (!functions) return NULL;
  *count = 0;
  for (uint32_t f = 0; f < graph->functions; f++)
    if (gp_symtab_owner(graph->symtab, f) == f) functions[(*count)++] = f;
  if (order == GP_BY_ADDRESS || gp_sort(functions, *count, by_name, graph))
    return functions;
  free(functions);
  return NULL;
}

/* --- arcs ------------------------------------------------------------------ */

/* 0: self-call; 1: call within a cycle; 2: call that moves time. */
static int arc_kind(const gp_callgraph *graph, uint32_t arc) {
  uint32_t caller = graph->caller[arc], callee = graph->callee[arc];
  return caller == callee ? 0 : gp_callgraph_same_cycle(graph, caller, callee) ? 1 : 2;
}

/* An arc in a function's entry, with its sort key. */
typedef struct listed_arc {
  uint32_t arc;
  int kind;
  double sum;         /* of the time, in ticks; 0 unless the kind is 2 */
  uint64_t count;
} listed_arc;

static bool ascending(const void *listed, uint32_t b, uint32_t a) {
  const listed_arc *x = (const listed_arc *)listed + b;
  const listed_arc *y = (const listed_arc *)listed + a;
  if (x->kind != y->kind) return x->kind < y->kind;
  if (x->sum != y->sum) return x->sum < y->sum;
  return x->count < y->count;
}

static bool descending(const void *listed, uint32_t b, uint32_t a) {
  return ascending(listed, a, b);
}

/* Sorts arcs. Computes all keys first, because a key takes far longer to compute than to
 * compare. `places` and `listed` have room for all arcs. */
static bool sort_measured(const gp_callgraph *graph, gp_rows *arcs, gp_before *before,
                          uint32_t *places, listed_arc *listed) {
  for (size_t i = 0; i < arcs->count; i++) {
    if (arcs->count - i > GP_ARCS_AHEAD)
      gp_prefetch_arc(graph, arcs->row[i + GP_ARCS_AHEAD]);
    places[i] = (uint32_t)i;
    uint32_t arc = arcs->row[i];
    double sum = graph->moved[arc].self + graph->moved[arc].children;
    listed[i] = (listed_arc){.arc = arc, .kind = sum > 0 ? 2 : arc_kind(graph, arc),
                             .sum = sum, .count = graph->count[arc]};
  }
  if (!gp_sort(places, arcs->count, before, listed)) return false;
  for (size_t i = 0; i < arcs->count; i++) arcs->row[i] = listed[places[i]].arc;
  return true;
}

static bool sort_arcs(const gp_callgraph *graph, gp_rows *arcs, gp_before *before) {
  enum { ENOUGH = 64 };  /* most lists are shorter, and need no allocation */
  if (arcs->count <= ENOUGH) {
    uint32_t places[ENOUGH];
    listed_arc listed[ENOUGH];
    return sort_measured(graph, arcs, before, places, listed);
  }
  uint32_t *places = gp_column(arcs->count, sizeof *places);
  listed_arc *listed = gp_column(arcs->count, sizeof *listed);
  bool done = places && listed && sort_measured(graph, arcs, before, places, listed);
  free(places);
  free(listed);
  return done;
}

static bool reserve_rows(gp_rows *rows, size_t needed) {
  return GP_RESERVE(&rows->capacity, needed, GP_COLUMN(rows->row));
}

void gp_rows_free(gp_rows *rows) {
  free(rows->row);
  *rows = (gp_rows){.row = NULL};
}

/* Empties the list and ensures that `row` is not NULL. */
static bool begin_rows(gp_rows *rows) {
  rows->count = 0;
  return rows->row || reserve_rows(rows, 1);
}

static bool add_row(gp_rows *rows, uint32_t row) {
  if (!reserve_rows(rows, rows->count + 1)) return false;
  rows->row[rows->count++] = row;
  return true;
}

/* Copies a linked list of numbers. */
static bool copy_list(uint32_t first, const uint32_t *next, gp_rows *rows) {
  if (!begin_rows(rows)) return false;
  for (uint32_t i = first; i != GP_NONE; i = next[i])
    if (!add_row(rows, i)) return false;
  return true;
}

static bool by_number(const void *context, uint32_t b, uint32_t a) {
  (void)context;
  return b < a;
}

/* Lists the arcs into or out of a cycle, in order of creation. `lists` are those of
 * callers, or of callees. */
static bool outer_arcs(const gp_callgraph *graph, uint32_t cycle,
                       const gp_arc_lists *lists, gp_rows *arcs) {
  uint32_t member = graph->head[cycle - graph->functions];
  if (!begin_rows(arcs)) return false;
  for (; member != GP_NONE; member = graph->next_member[member])
    for (uint32_t i = lists->start[member]; i < lists->start[member + 1]; i++)
      if (!gp_callgraph_is_recursive(graph, lists->arc[i]) &&
          !add_row(arcs, lists->arc[i]))
        return false;
  return gp_sort(arcs->row, arcs->count, by_number, NULL);
}

/* Lists the arcs of a function or cycle, in order of creation. */
static bool list_arcs(const gp_callgraph *graph, uint32_t node, const gp_arc_lists *lists,
                      gp_rows *arcs) {
  if (node >= graph->functions) return outer_arcs(graph, node, lists, arcs);
  uint32_t start = lists->start[node];
  size_t count = lists->start[node + 1] - start;
  if (!begin_rows(arcs) || !reserve_rows(arcs, count)) return false;
  memcpy(arcs->row, lists->arc + start, count * sizeof *arcs->row);
  arcs->count = count;
  return true;
}

static bool by_count(const void *context, uint32_t b, uint32_t a) {
  const gp_callgraph *graph = context;
  return graph->count[b] > graph->count[a];
}

uint32_t *gp_order_arcs(const gp_callgraph *graph, gp_arc_order order, size_t *count) {
  uint32_t *arcs = gp_identity(graph->arcs);
  *count = graph->arcs;
  if (order == GP_BY_CREATION || (arcs && gp_sort(arcs, *count, by_count, graph)))
    return arcs;
  free(arcs);
  return NULL;
}

/* Traces the sorted arcs of a function. `end` is the column that holds the function at
 * the other end of each arc. */
static void trace_arcs(const gp_callgraph *graph, const char *side, const uint32_t *end,
                       uint32_t node, const gp_rows *arcs) {
  static const char *const kinds[] = {" (recursive)", " (within the cycle)", ""};
  const gp_trace *trace = graph->symtab->trace;
  if (node >= graph->functions || !gp_traces(trace, GP_TRACE_ARC_ORDER)) return;
  for (size_t i = 0; i < arcs->count; i++) {
    uint32_t arc = arcs->row[i];
    gp_arc_time time = graph->moved[arc];
    gp_trace_write(trace, GP_TRACE_ARC_ORDER,
                   "%s %zu of %s: %s, %" PRIu64 " calls%s, %g ticks", side, i + 1,
                   name_of(graph, node), name_of(graph, end[arc]), graph->count[arc],
                   kinds[arc_kind(graph, arc)], time.self + time.children);
  }
}

bool gp_order_callers(const gp_callgraph *graph, uint32_t node, gp_rows *arcs) {
  if (!list_arcs(graph, node, &graph->callers, arcs) ||
      !sort_arcs(graph, arcs, ascending))
    return false;
  trace_arcs(graph, "caller", graph->caller, node, arcs);
  return true;
}

bool gp_order_callees(const gp_callgraph *graph, uint32_t node, gp_rows *arcs) {
  if (!list_arcs(graph, node, &graph->callees, arcs) ||
      !sort_arcs(graph, arcs, descending))
    return false;
  trace_arcs(graph, "callee", graph->callee, node, arcs);
  return true;
}

/* --- members of a cycle ---------------------------------------------------- */

static bool member_before(const void *context, uint32_t b, uint32_t a) {
  const gp_callgraph *graph = context;
  double time_a = graph->shown_self[a] + graph->shown_children[a];
  double time_b = graph->shown_self[b] + graph->shown_children[b];
  if (time_a != time_b) return time_b > time_a;
  return graph->calls[b] + graph->self_calls[b] > graph->calls[a] + graph->self_calls[a];
}

bool gp_order_members(const gp_callgraph *graph, uint32_t cycle, gp_rows *members) {
  uint32_t head = graph->head[cycle - graph->functions];
  return copy_list(head, graph->next_member, members) &&
         gp_sort(members->row, members->count, member_before, graph);
}

/* --- lines of a function ---------------------------------------------------- */

bool gp_order_lines(const gp_callgraph *graph, uint32_t function, gp_rows *lines) {
  return copy_list(function, graph->symtab->lines->next, lines);
}
