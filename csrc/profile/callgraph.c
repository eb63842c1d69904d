/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call graph. */
#include "profile/callgraph.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"

typedef struct building {
  gp_callgraph *graph;
  gp_arc_selection *selection;
  gp_hash index;      /* arcs by caller and callee */
  size_t capacity;
  gp_error *error;
} building;

static gp_key arc_key(const void *columns, uint32_t row) {
  const gp_callgraph *graph = columns;
  return (gp_key){graph->caller[row], graph->callee[row]};
}

/* Returns a new column filled with GP_NONE. */
static uint32_t *none_column(size_t count) {
  uint32_t *column = gp_column(count, sizeof *column);
  if (column) memset(column, 0xff, count * sizeof *column);
  return column;
}

static bool allocate(gp_callgraph *graph, gp_error *error) {
  size_t count = graph->functions;
  graph->first_callee = none_column(count);
  graph->first_caller = none_column(count);
  graph->calls = gp_column(count, sizeof *graph->calls);
  graph->self_calls = gp_column(count, sizeof *graph->self_calls);
  return (graph->first_callee && graph->first_caller && graph->calls &&
          graph->self_calls) || gp_fail_memory(error);
}

static bool reserve(building *b, size_t needed) {
  gp_callgraph *graph = b->graph;
  return GP_RESERVE(&b->capacity, needed, GP_COLUMN(graph->caller),
                    GP_COLUMN(graph->callee), GP_COLUMN(graph->count),
                    GP_COLUMN(graph->inlined), GP_COLUMN(graph->next_callee),
                    GP_COLUMN(graph->next_caller)) ||
         gp_fail_memory(b->error);
}

/* Finds or adds the arc between two functions. A new arc goes to the front of both
 * lists. */
static bool find_or_add(building *b, uint32_t caller, uint32_t callee, uint32_t *found) {
  gp_callgraph *graph = b->graph;
  *found = gp_hash_find(&b->index, (gp_key){caller, callee});
  if (*found != GP_NONE) return true;
  if (!reserve(b, graph->arcs + 1)) return false;
  uint32_t arc = *found = (uint32_t)graph->arcs++;
  graph->caller[arc] = caller;
  graph->callee[arc] = callee;
  graph->count[arc] = 0;
  graph->inlined[arc] = false;
  graph->next_callee[arc] = graph->first_callee[caller];
  graph->first_callee[caller] = arc;
  graph->next_caller[arc] = graph->first_caller[callee];
  graph->first_caller[callee] = arc;
  return gp_hash_add(&b->index, arc) || gp_fail_memory(b->error);
}

static void trace_calls(const gp_callgraph *graph, uint32_t arc, uint64_t calls,
                        uint64_t sum) {
  const gp_symtab *symtab = graph->symtab;
  const char *caller = symtab->name[graph->caller[arc]];
  const char *callee = symtab->name[graph->callee[arc]];
  gp_trace_write(symtab->trace, GP_TRACE_TALLY,
                 "%s calls %s %" PRIu64 " times, %" PRIu64
                 " so far; %s has %" PRIu64 " calls by %s",
                 caller, callee, calls, graph->count[arc], callee, sum,
                 graph->caller[arc] == graph->callee[arc] ? "itself" : "others");
}

static void trace_dropped(const gp_callgraph *graph, const gp_arcs *arcs, size_t row,
                          const char *reason) {
  GP_TRACE(graph->symtab->trace, GP_TRACE_TALLY,
           "0x%" PRIx64 " calls 0x%" PRIx64 " %" PRIu64 " times: %s", arcs->from[row],
           arcs->self[row], arcs->calls[row], reason);
}

/* Adds calls to an arc and to its callee. Self-calls are counted separately, because they
 * move no time. */
static bool add_calls(building *b, uint32_t arc, uint64_t calls) {
  gp_callgraph *graph = b->graph;
  uint32_t callee = graph->callee[arc];
  bool own = graph->caller[arc] == callee;
  uint64_t *sum = own ? &graph->self_calls[callee] : &graph->calls[callee];
  if (!gp_count_add(&graph->count[arc], calls) || !gp_count_add(sum, calls))
    return gp_fail(b->error, "'%s' was called 2^63 times or more",
                   graph->symtab->name[callee]);
  if (gp_traces(graph->symtab->trace, GP_TRACE_TALLY))
    trace_calls(graph, arc, calls, *sum);
  return true;
}

/* Adds calls from an unknown caller to the callee. Such calls have no arc. */
static bool add_callerless(building *b, uint32_t callee, uint64_t calls) {
  gp_callgraph *graph = b->graph;
  const gp_symtab *symtab = graph->symtab;
  if (!gp_select_arc(b->selection, GP_NONE, callee)) return true;
  if (!gp_count_add(&graph->calls[callee], calls))
    return gp_fail(b->error, "'%s' was called 2^63 times or more",
                   symtab->name[callee]);
  GP_TRACE(symtab->trace, GP_TRACE_TALLY,
           "%s is called %" PRIu64 " times by an unknown caller", symtab->name[callee],
           calls);
  return true;
}

uint32_t *gp_callgraph_entered(const gp_symtab *symtab) {
  uint32_t *entered = gp_column(symtab->count, sizeof *entered), last = GP_NONE;
  for (uint32_t s = 0; entered && s < symtab->count; s++) {
    uint32_t own = gp_symtab_function(symtab, s);
    if ((symtab->flags[s] | symtab->flags[own]) & GP_FUNCTION) last = own;
    entered[s] = last;
  }
  return entered;
}

/* Returns the function at the caller's address, or GP_NONE. */
static uint32_t caller_at(const gp_symtab *symtab, uint64_t address) {
  if (address == GP_OUTSIDE && symtab->outside != GP_NONE) return symtab->outside;
  return gp_symtab_find(symtab, address);
}

/* Whether the caller is unknown but its calls are counted (policy callerless_calls). */
static bool is_callerless(const building *b, const gp_data *data, size_t row) {
  return data->arcs.from[row] == gp_unknown_caller(data->layout) &&
         b->graph->symtab->policy->callerless_calls;
}

/* Adds the arcs of the data. Counts the arcs between known functions in `*matched`. */
static bool add_arcs(building *b, const gp_data *data, const uint32_t *entered,
                     size_t *matched) {
  const gp_arcs *arcs = &data->arcs;
  for (size_t i = 0; i < arcs->count; i++) {
    uint32_t caller = caller_at(b->graph->symtab, arcs->from[i]);
    uint32_t callee = gp_symtab_find(b->graph->symtab, arcs->self[i]), arc;
    if (callee != GP_NONE) callee = entered[callee];
    if (callee != GP_NONE && is_callerless(b, data, i)) {
      ++*matched;
      if (!add_callerless(b, callee, arcs->calls[i])) return false;
      continue;
    }
    if (caller == GP_NONE || callee == GP_NONE) {
      trace_dropped(b->graph, arcs, i, "not between two functions");
      continue;
    }
    ++*matched;
    if (!gp_select_arc(b->selection, caller, callee)) {
      trace_dropped(b->graph, arcs, i, "not selected");
      continue;
    }
    if (!find_or_add(b, caller, callee, &arc)) return false;
    if (!add_calls(b, arc, arcs->calls[i])) return false;
  }
  return true;
}

static bool add_data(building *b, const gp_data *data, size_t *matched) {
  uint32_t *entered = gp_callgraph_entered(b->graph->symtab);
  if (!entered) return gp_fail_memory(b->error);
  bool done = add_arcs(b, data, entered, matched);
  free(entered);
  return done;
}

/* Whether add_callerless counted calls to a callee. */
static bool is_counted(const building *b, uint32_t callee, uint64_t calls) {
  return calls > 0 && b->graph->symtab->policy->callerless_calls &&
         gp_select_arc(b->selection, GP_NONE, callee);
}

/* Subtracts the calls of steps, which were counted without a caller. */
static bool subtract_callerless(building *b, const gp_path_steps *steps) {
  for (size_t i = 0; i < steps->count; i++) {
    uint32_t callee = steps->callee[i];
    uint64_t *sum = &b->graph->calls[callee], calls = steps->calls[i];
    if (!is_counted(b, callee, calls)) continue;
    if (calls > *sum)
      return gp_fail(b->error, "the call paths have more calls of '%s' than the profile: "
                     "remove the context profile beside it",
                     b->graph->symtab->name[callee]);
    *sum -= calls;
  }
  return true;
}

/* Adds the steps of call paths. */
static bool add_steps(building *b, const gp_path_steps *steps) {
  if (!subtract_callerless(b, steps)) return false;
  for (size_t i = 0; i < steps->count; i++) {
    uint32_t caller = steps->caller[i], callee = steps->callee[i], arc;
    uint64_t calls = steps->calls[i];
    if (!gp_select_arc(b->selection, caller, callee)) continue;
    if (!find_or_add(b, caller, callee, &arc)) return false;
    if (steps->inlined && steps->inlined[i]) b->graph->inlined[arc] = true;
    if (calls > 0 && !add_calls(b, arc, calls)) return false;
  }
  return true;
}

static bool add_static_calls(building *b, const gp_static_calls *found) {
  uint32_t arc;
  b->graph->has_static = found->count > 0;
  for (size_t i = 0; i < found->count; i++)
    if (!find_or_add(b, found->caller[i], found->callee[i], &arc)) return false;
  return true;
}

bool gp_callgraph_build(gp_callgraph *graph, const gp_data *data,
                        const gp_path_steps *steps, const gp_static_calls *found,
                        const gp_symtab *symtab, gp_arc_selection *selection,
                        size_t *matched, gp_error *error) {
  building b = {.graph = graph, .selection = selection, .error = error};
  memset(graph, 0, sizeof *graph);
  graph->symtab = symtab;
  graph->functions = symtab->count;
  *matched = 0;
  gp_hash_init(&b.index, arc_key, graph);
  bool done = allocate(graph, error) && reserve(&b, 16) &&
              add_data(&b, data, matched) && add_steps(&b, steps) &&
              add_static_calls(&b, found);
  gp_hash_free(&b.index);
  if (!done) gp_callgraph_free(graph);
  return done;
}

void gp_path_steps_free(gp_path_steps *steps) {
  free(steps->caller);
  free(steps->callee);
  free(steps->calls);
  free(steps->inlined);
  memset(steps, 0, sizeof *steps);
}

void gp_callgraph_free(gp_callgraph *graph) {
  void *columns[] = {
      graph->caller, graph->callee, graph->count, graph->inlined, graph->next_callee,
      graph->next_caller, graph->arc_self, graph->arc_children, graph->first_callee,
      graph->first_caller, graph->number,
      graph->cycle, graph->next_member, graph->head, graph->calls, graph->self_calls,
      graph->self, graph->children, graph->inlined_self, graph->inlined_children,
      graph->share, graph->shown_self,
      graph->shown_children, graph->printed, graph->entries, graph->rank};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) free(columns[i]);
  memset(graph, 0, sizeof *graph);
}
