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
  size_t rows;        /* of the columns of arcs: first the arcs, then calls that unite()
                         will make arcs of */
  size_t capacity;
  gp_error *error;
} building;

static bool reserve(building *b, size_t more) {
  gp_callgraph *graph = b->graph;
  return GP_RESERVE(&b->capacity, b->rows + more, GP_COLUMN(graph->caller),
                    GP_COLUMN(graph->callee), GP_COLUMN(graph->count),
                    GP_COLUMN(graph->inlined)) ||
         gp_fail_memory(b->error);
}

/* Adds calls, for which there is room. */
static void add_row(building *b, uint32_t caller, uint32_t callee, uint64_t calls,
                    bool inlined) {
  gp_callgraph *graph = b->graph;
  graph->caller[b->rows] = caller;
  graph->callee[b->rows] = callee;
  graph->count[b->rows] = calls;
  graph->inlined[b->rows++] = inlined;
}

/* --- lists of arcs ----------------------------------------------------------- */

/* Lists the rows of each function; `function` is a column of `rows` rows. This is a
 * counting sort. */
static bool list_rows(gp_arc_lists *lists, const uint32_t *function, size_t rows,
                      size_t functions) {
  uint32_t *start = lists->start = gp_column(functions + 2, sizeof *start);
  uint32_t *list = lists->arc = gp_column(rows, sizeof *list);
  if (!start || !list) return false;
  for (size_t row = 0; row < rows; row++) start[function[row] + 2]++;
  for (size_t f = 2; f < functions + 2; f++) start[f] += start[f - 1];
  for (size_t row = 0; row < rows; row++)
    list[start[function[row] + 1]++] = (uint32_t)row;
  return true;
}

/* --- calls between the same functions ---------------------------------------- */

/* For a callee: the last of its callers, and the first row of the two. */
typedef struct last_caller {
  uint32_t caller, row;
} last_caller;

/* Finds, for each row, the first row with the same caller and callee. Visits the rows
 * caller by caller, so it need only compare with the last caller of each callee. */
static bool find_first_rows(const building *b, uint32_t *first) {
  const gp_callgraph *graph = b->graph;
  gp_arc_lists lists = {0};
  last_caller *last = gp_column(graph->functions, sizeof *last);
  bool done = last && list_rows(&lists, graph->caller, b->rows, graph->functions);
  if (done) memset(last, 0xff, graph->functions * sizeof *last);
  for (size_t i = 0; done && i < b->rows; i++) {
    uint32_t row = lists.arc[i], caller = graph->caller[row];
    last_caller *seen = &last[graph->callee[row]];
    if (seen->caller != caller) *seen = (last_caller){caller, row};
    first[row] = seen->row;
  }
  free(lists.start);
  free(lists.arc);
  free(last);
  return done;
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

/* Makes arcs of the rows after the arcs, in order. Rows with the same caller and callee
 * become one arc. Rows without calls are not counted, unless `with_none`. */
static bool unite_rows(building *b, uint32_t *first, bool with_none) {
  gp_callgraph *graph = b->graph;
  for (uint32_t row = (uint32_t)graph->arcs; row < b->rows; row++) {
    uint64_t calls = graph->count[row];
    bool inlined = graph->inlined[row];
    if (first[row] == row) {  /* from now on, first[row] is the number of its arc */
      uint32_t arc = first[row] = (uint32_t)graph->arcs++;
      graph->caller[arc] = graph->caller[row];
      graph->callee[arc] = graph->callee[row];
      graph->count[arc] = 0;
      graph->inlined[arc] = false;
    } else {
      first[row] = first[first[row]];
    }
    if (inlined) graph->inlined[first[row]] = true;
    if ((calls > 0 || with_none) && !add_calls(b, first[row], calls)) return false;
  }
  b->rows = graph->arcs;
  return true;
}

static bool unite(building *b, bool with_none) {
  if (b->rows == b->graph->arcs) return true;
  uint32_t *first = gp_column(b->rows, sizeof *first);
  bool done = first && find_first_rows(b, first);
  done = done ? unite_rows(b, first, with_none) : gp_fail_memory(b->error);
  free(first);
  return done;
}

/* --- calls ------------------------------------------------------------------- */

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

/* Adds the arcs of the data. Counts the arcs between known functions in `*matched`. */
static bool add_arcs(building *b, const gp_data *data, const uint32_t *entered,
                     size_t *matched) {
  const gp_symtab *symtab = b->graph->symtab;
  const gp_arcs *arcs = &data->arcs;
  uint32_t near_caller = 0, near_callee = 0;
  if (!reserve(b, arcs->count)) return false;
  for (size_t i = 0; i < arcs->count; i++) {
    uint32_t caller = arcs->from[i] == GP_OUTSIDE ? symtab->outside : GP_NONE;
    if (caller == GP_NONE)
      caller = gp_symtab_find_near(symtab, arcs->from[i], &near_caller);
    uint32_t callee = gp_symtab_find_near(symtab, arcs->self[i], &near_callee);
    if (callee != GP_NONE) callee = entered[callee];
    /* The caller may be unknown but its calls counted (policy callerless_calls). */
    if (callee != GP_NONE && data->arcs.from[i] == gp_unknown_caller(data->layout) &&
        b->graph->symtab->policy->callerless_calls) {
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
    add_row(b, caller, callee, arcs->calls[i], false);
  }
  return unite(b, true);
}

static bool add_data(building *b, const gp_data *data, size_t *matched) {
  uint32_t *entered = gp_callgraph_entered(b->graph->symtab);
  if (!entered) return gp_fail_memory(b->error);
  bool done = add_arcs(b, data, entered, matched);
  free(entered);
  return done;
}

/* Subtracts the calls of steps, which were counted without a caller. */
static bool subtract_callerless(building *b, const gp_path_steps *steps) {
  for (size_t i = 0; i < steps->count; i++) {
    uint32_t callee = steps->callee[i];
    uint64_t *sum = &b->graph->calls[callee], calls = steps->calls[i];
    if (calls == 0 || !b->graph->symtab->policy->callerless_calls ||
        !gp_select_arc(b->selection, GP_NONE, callee))
      continue;
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
  if (!subtract_callerless(b, steps) || !reserve(b, steps->count)) return false;
  for (size_t i = 0; i < steps->count; i++) {
    uint32_t caller = steps->caller[i], callee = steps->callee[i];
    if (gp_select_arc(b->selection, caller, callee))
      add_row(b, caller, callee, steps->calls[i], steps->inlined && steps->inlined[i]);
  }
  return unite(b, false);
}

static bool add_static_calls(building *b, const gp_static_calls *found) {
  b->graph->has_static = found->count > 0;
  if (!reserve(b, found->count)) return false;
  for (size_t i = 0; i < found->count; i++)
    add_row(b, found->caller[i], found->callee[i], 0, false);
  return unite(b, false);
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
  graph->calls = gp_column(graph->functions, sizeof *graph->calls);
  graph->self_calls = gp_column(graph->functions, sizeof *graph->self_calls);
  bool done = ((graph->calls && graph->self_calls) || gp_fail_memory(error)) &&
              reserve(&b, 1) && add_data(&b, data, matched) && add_steps(&b, steps) &&
              add_static_calls(&b, found) &&
              (list_rows(&graph->callees, graph->caller, graph->arcs,
                         graph->functions) ||
               gp_fail_memory(error)) &&
              (list_rows(&graph->callers, graph->callee, graph->arcs,
                         graph->functions) ||
               gp_fail_memory(error));
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
      graph->caller, graph->callee, graph->count, graph->inlined, graph->arc_self,
      graph->arc_children, graph->moved, graph->callees.start, graph->callees.arc,
      graph->callers.start, graph->callers.arc, graph->number,
      graph->cycle, graph->next_member, graph->head, graph->calls, graph->self_calls,
      graph->self, graph->children, graph->inlined_self, graph->inlined_children,
      graph->share, graph->shown_self,
      graph->shown_children, graph->printed, graph->entries, graph->rank};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) free(columns[i]);
  memset(graph, 0, sizeof *graph);
}
