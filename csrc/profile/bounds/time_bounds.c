/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounds of inclusive times.
 *
 * The graph of possible calls has the nodes of the call graph; a root, the bottom of all
 * stacks; and an unknown function, which stands for all code outside the program. A
 * function that can end with a jump to another function has a second node, its entry: the
 * jump replaces the function on the stack, so the path to the other function leads
 * through the entry, but not through the function.
 *
 * Samples in the PLT count for the function before it. Such a function has a second node,
 * its leaf, which has the function's samples: a call of a stub leads there, but not to
 * what the function calls.
 */
#include "profile/bounds/time_bounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "profile/bounds/digraph.h"
#include "profile/code/code_survey.h"
#include "profile/measured.h"

/* glibc rounds return addresses down to multiples of this number of bytes. */
enum { ROUNDING = 16 };

typedef struct building {
  const gp_callgraph *graph;
  const gp_symtab *symtab;
  const gp_data *data;
  gp_code_survey survey;
  uint32_t *function;      /* from gp_code_functions */
  uint32_t *entry;         /* per symbol: the node that calls lead to */
  uint32_t *leaf;          /* per symbol: the node that has its samples */
  uint32_t root, unknown;
  size_t nodes;
  size_t arcs, capacity;   /* possible calls */
  uint32_t *from, *to;
  double *weight;          /* per node: ticks of the function */
} building;

/* --- possible calls -------------------------------------------------------------- */

static bool add(building *b, uint32_t from, uint32_t to) {
  if (!GP_RESERVE(&b->capacity, b->arcs + 1, GP_COLUMN(b->from), GP_COLUMN(b->to)))
    return false;
  b->from[b->arcs] = from;
  b->to[b->arcs++] = to;
  return true;
}

/* Gives an entry to each function that can end with a jump to another function. */
static bool add_entries(building *b) {
  const gp_code_survey *survey = &b->survey;
  for (uint32_t f = 0; f < b->symtab->count; f++)
    b->entry[f] = survey->flags[f] & GP_JUMPS_OUT ? GP_NONE : f;
  for (size_t i = 0; i < survey->jumps.count; i++)
    b->entry[survey->jumps.caller[i]] = GP_NONE;
  for (size_t i = 0; i < survey->stub_jumps.count; i++)
    b->entry[survey->stub_jumps.caller[i]] = GP_NONE;
  for (uint32_t f = 0; f < b->symtab->count; f++) {
    if (b->entry[f] != GP_NONE) continue;
    b->entry[f] = (uint32_t)b->nodes++;
    if (!add(b, b->entry[f], f)) return false;
  }
  return true;
}

/* Gives a leaf to the function of a stub. */
static bool add_leaf(building *b, uint32_t function) {
  if (b->leaf[function] != function) return true;
  b->leaf[function] = (uint32_t)b->nodes++;
  return add(b, function, b->leaf[function]);
}

/* Adds leaves, and the calls and jumps that lead there. */
static bool add_leaves(building *b) {
  const gp_static_calls *calls = &b->survey.stub_calls, *jumps = &b->survey.stub_jumps;
  bool done = true;
  for (uint32_t f = 0; f < b->symtab->count; f++) b->leaf[f] = f;
  for (size_t i = 0; done && i < calls->count; i++)
    done = add_leaf(b, calls->callee[i]) &&
           add(b, calls->caller[i], b->leaf[calls->callee[i]]);
  for (size_t i = 0; done && i < jumps->count; i++)
    done = add_leaf(b, jumps->callee[i]) &&
           add(b, b->entry[jumps->caller[i]], b->leaf[jumps->callee[i]]);
  return done;
}

/* Adds what the program's file shows. */
static bool add_survey(building *b, const gp_image *image) {
  const gp_code_survey *survey = &b->survey;
  const gp_static_calls *calls = &survey->calls, *jumps = &survey->jumps;
  uint32_t start = gp_symtab_find(b->symtab, bfd_get_start_address(image->file));
  bool done = add(b, b->root, b->unknown);
  if (done && start != GP_NONE) done = add(b, b->root, b->entry[b->function[start]]);
  for (uint32_t f = 0; done && f < b->symtab->count; f++) {
    unsigned flags = survey->flags[f];
    done = (!(flags & GP_STARTED) || add(b, b->root, b->entry[f])) &&
           (!(flags & GP_EXPOSED) || add(b, b->unknown, b->entry[f])) &&
           (!(flags & GP_CALLS_OUT) || add(b, f, b->unknown)) &&
           (!(flags & GP_JUMPS_OUT) || add(b, b->entry[f], b->unknown));
  }
  for (size_t i = 0; done && i < calls->count; i++)
    done = add(b, calls->caller[i], b->entry[calls->callee[i]]);
  for (size_t i = 0; done && i < jumps->count; i++)
    done = add(b, b->entry[jumps->caller[i]], b->entry[jumps->callee[i]]);
  return done;
}

static bool is_below(const void *addresses, size_t row, uint64_t address) {
  return ((const uint64_t *)addresses)[row] < address;
}

/* Adds an arc from each function with a call that returns to a given range of addresses.
 * Sets *found if there are any. */
static bool add_sites(building *b, gp_range range, uint32_t callee, bool *found) {
  const gp_code_survey *survey = &b->survey;
  size_t i = gp_search(survey->site, 0, survey->sites, range.low, is_below);
  for (; i < survey->sites && survey->site[i] < range.high; i++) {
    *found = true;
    if (!add(b, survey->site_function[i], callee)) return false;
  }
  return true;
}

/* Adds an arc from each function whose code overlaps a range; without any, from the
 * unknown function. */
static bool add_overlapping(building *b, gp_range range, uint32_t callee) {
  const gp_symtab *symtab = b->symtab;
  bool found = false;
  uint32_t s = gp_symtab_above(symtab, range.low);
  if (s > 0) s--;
  for (; s < symtab->count && symtab->address[s] < range.high; s++) {
    if (gp_symtab_end(symtab, s) < range.low) continue;
    found = true;
    if (!add(b, b->function[s], callee)) return false;
  }
  return found || add(b, b->unknown, callee);
}

/* Adds a recorded arc. Its caller is any function with a call that returns to one of the
 * addresses that are rounded to `from`. */
static bool add_recorded(building *b, uint64_t from, uint64_t self) {
  uint32_t symbol = gp_symtab_find(b->symtab, self);
  uint32_t callee = symbol == GP_NONE ? b->unknown : b->entry[b->function[symbol]];
  bool found = false;
  if (from < ROUNDING || from > UINT64_MAX - ROUNDING)
    return add(b, b->unknown, callee);
  if (!add_sites(b, (gp_range){from, from + ROUNDING}, callee, &found)) return false;
  return found || add_overlapping(b, (gp_range){from - 1, from + ROUNDING - 1}, callee);
}

/* Adds calls by the unknown function to code that ran although nothing seems to lead to
 * it. `recorded` is the row of the first recorded arc. */
static bool add_unexplained(building *b, size_t recorded) {
  gp_digraph graph;
  if (!gp_digraph_build(&graph, b->nodes, b->from, b->to, b->arcs)) return false;
  size_t all = b->arcs;
  bool *reached = gp_column(b->nodes, sizeof *reached);
  uint32_t *stack = gp_column(b->nodes, sizeof *stack);
  bool done = reached && stack;
  if (done) gp_digraph_reach(&graph, b->root, reached, stack);
  for (uint32_t f = 0; done && f < b->symtab->count; f++) {
    if (reached[b->leaf[f]] || b->weight[b->leaf[f]] == 0) continue;
    done = add(b, b->unknown, f);
    gp_digraph_reach(&graph, f, reached, stack);
  }
  for (size_t i = recorded; done && i < all; i++) {
    if (reached[b->from[i]]) continue;
    done = add(b, b->unknown, b->from[i]);
    gp_digraph_reach(&graph, b->from[i], reached, stack);
  }
  free(reached);
  free(stack);
  gp_digraph_free(&graph);
  return done;
}

/* --- bounds ------------------------------------------------------------------------ */

static uint32_t whole(const building *b, uint32_t node) {
  return node < b->graph->functions ? gp_callgraph_whole(b->graph, node) : node;
}

/* Replaces the members of each cycle by the cycle, also in `weight`. */
static void join_cycles(building *b, double *weight) {
  for (size_t i = 0; i < b->arcs; i++) {
    b->from[i] = whole(b, b->from[i]);
    b->to[i] = whole(b, b->to[i]);
  }
  for (uint32_t f = 0; f < b->graph->functions; f++) {
    if (whole(b, f) == f) continue;
    weight[whole(b, f)] += weight[f];
    weight[f] = 0;
  }
}

static double *copy_weights(const building *b) {
  double *copy = gp_column(b->nodes, sizeof *copy);
  if (copy) memcpy(copy, b->weight, b->nodes * sizeof *copy);
  return copy;
}

static bool find_low(building *b, double *low) {
  gp_digraph graph;
  if (!gp_digraph_build(&graph, b->nodes, b->from, b->to, b->arcs)) return false;
  bool done = gp_digraph_dominate(&graph, b->root, low);
  gp_digraph_free(&graph);
  return done;
}

/* Finds the bounds of cycles, and the upper bounds of functions. The lower bounds of the
 * members of cycles are found before. */
static bool find_of_cycles(building *b, double *low, double *high) {
  gp_digraph graph;
  join_cycles(b, b->weight);
  double *of_cycles = copy_weights(b);
  if (!of_cycles) return false;
  bool done = gp_digraph_build(&graph, b->nodes, b->from, b->to, b->arcs);
  if (done) {
    bool has_cycles = b->graph->cycles > 0;
    done = (!has_cycles || gp_digraph_dominate(&graph, b->root, of_cycles)) &&
           gp_digraph_weigh(&graph, b->weight, high);
    gp_digraph_free(&graph);
  }
  size_t nodes = b->graph->functions + b->graph->cycles;
  for (size_t c = b->graph->functions; c < nodes; c++) low[c] = of_cycles[c];
  free(of_cycles);
  return done;
}

/* Completes the bounds of functions. A sum may be rounded differently in the two bounds.
 * The time of a label is a part of its function's. */
static void complete(const building *b, const gp_samples *samples, double *low,
                     double *high) {
  for (uint32_t s = 0; s < b->symtab->count; s++) {
    uint32_t function = b->function[s];
    high[s] = high[whole(b, function)];
    if (function != s || low[s] < samples->ticks[s]) low[s] = samples->ticks[s];
  }
  for (size_t n = 0; n < b->graph->functions + b->graph->cycles; n++)
    if (high[n] < low[n]) high[n] = low[n];
}

static bool find(building *b, gp_time_bounds *bounds, const gp_samples *samples) {
  double *low = copy_weights(b), *high = gp_column(b->nodes, sizeof *high);
  bool done = low && high && find_low(b, low) && find_of_cycles(b, low, high);
  if (done) {
    complete(b, samples, low, high);
    bounds->low = low;
    bounds->high = high;
    return true;
  }
  free(low);
  free(high);
  return false;
}

static bool build(building *b, const gp_image *image, const gp_samples *samples) {
  b->entry = gp_column(b->symtab->count, sizeof *b->entry);
  b->leaf = gp_column(b->symtab->count, sizeof *b->leaf);
  if (!b->entry || !b->leaf || !add_entries(b) || !add_leaves(b)) return false;
  b->weight = gp_column(b->nodes, sizeof *b->weight);
  if (!b->weight) return false;
  for (uint32_t s = 0; s < b->symtab->count; s++)
    b->weight[b->leaf[b->function[s]]] += samples->ticks[s];
  if (!add_survey(b, image)) return false;
  size_t recorded = b->arcs;
  const gp_arcs *arcs = &b->data->arcs;
  for (size_t i = 0; i < arcs->count; i++)
    if (!add_recorded(b, arcs->from[i], arcs->self[i])) return false;
  return add_unexplained(b, recorded);
}

static void release(building *b) {
  gp_code_survey_free(&b->survey);
  free(b->function);
  free(b->entry);
  free(b->leaf);
  free(b->from);
  free(b->to);
  free(b->weight);
}

/* glibc's limits of the number of arcs (sys/gmon.h): a percentage of the size of the
 * code, with a minimum and a maximum. When the table is full, glibc loses all further
 * arcs. The recorder, which also writes call paths, has no such limit. */
enum { ARC_DENSITY = 3, MIN_ARCS = 50, MAX_ARCS = 1 << 20 };

static const char *find_problem(const gp_image *image, const gp_data *data) {
  gp_range covered = gp_data_covered(data);
  if (covered.low > image->text_low || covered.high < image->text_high)
    return "the profile does not cover all of .text";
  uint64_t room = (covered.high - covered.low) * ARC_DENSITY / 100;
  if (room < MIN_ARCS) room = MIN_ARCS;
  if (room > MAX_ARCS) room = MAX_ARCS;
  if (!gp_measured_is_complete(data) && data->arcs.count + 1 >= room)
    return "the table of calls was full, so that calls may be missing";
  return NULL;
}

bool gp_time_bounds_find(gp_time_bounds *bounds, const gp_image *image,
                         const gp_data *data, const gp_callgraph *graph,
                         const gp_samples *samples, const gp_opcodes *opcodes,
                         gp_error *error) {
  building b = {.graph = graph, .symtab = graph->symtab, .data = data};
  memset(bounds, 0, sizeof *bounds);
  bounds->problem = find_problem(image, data);
  if (bounds->problem) return true;
  b.nodes = graph->functions + graph->cycles;
  b.root = (uint32_t)b.nodes++;
  b.unknown = (uint32_t)b.nodes++;
  b.function = gp_code_functions(graph->symtab);
  if (!b.function) return gp_fail_memory(error);
  bool done = gp_code_survey_make(&b.survey, image, graph->symtab, b.function, opcodes,
                                  &bounds->problem, error);
  if (b.survey.stops_recording)
    bounds->problem = "the program can switch the recording off (moncontrol)";
  if (done && !bounds->problem)
    done = (build(&b, image, samples) && find(&b, bounds, samples)) ||
           gp_fail_memory(error);
  release(&b);
  return done;
}

void gp_time_bounds_free(gp_time_bounds *bounds) {
  free(bounds->low);
  free(bounds->high);
  memset(bounds, 0, sizeof *bounds);
}
