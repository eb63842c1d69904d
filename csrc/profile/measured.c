/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured times, from call paths. */
#include "profile/measured.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"
#include "base/sort.h"
#include "gmon/bins.h"

/* Whether two sums of counts are equal. `paths` is less than 2^63. */
static bool have_sum(uint64_t paths, const uint64_t *counts, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    if (!gp_count_add(&sum, counts[i])) return false;
  return sum == paths;
}

static bool have_ticks(const gp_data *data) {
  uint64_t sum = 0;
  for (size_t i = 0; i < data->histogram_count; i++)
    for (size_t bin = 0; bin < data->histograms[i].bins; bin++)
      if (!gp_count_add(&sum, gp_bin(&data->histograms[i], bin))) return false;
  return sum == data->paths.ticks;
}

bool gp_measured_is_complete(const gp_data *data) {
  return data->paths.known && !(data->paths.flags & GP_CONTEXT_JOINED) &&
         have_sum(data->paths.calls, data->arcs.calls, data->arcs.count) &&
         have_ticks(data);
}

/* --- functions --------------------------------------------------------------- */

static uint32_t context_count(const gp_measured *m) {
  return (uint32_t)m->paths->contexts.count + 1;
}

static uint32_t parent_of(const gp_measured *m, uint32_t context) {
  return (uint32_t)m->paths->contexts.first[context - 1];
}

/* Returns the function that a call to an address enters, or GP_NONE. */
static uint32_t callee_at(const gp_measured *m, uint64_t address) {
  uint32_t callee = gp_symtab_find(m->symtab, address);
  return callee == GP_NONE ? GP_NONE : m->entered[callee];
}

/* Finds the functions of a context. If the callee is unknown, the context adds nothing to
 * its parent. */
static void find_functions(gp_measured *m, uint32_t context) {
  const gp_pairs *sites = &m->paths->sites;
  uint64_t row = m->paths->contexts.second[context - 1];
  uint32_t callee = callee_at(m, sites->second[row]);
  uint32_t above = m->function[parent_of(m, context)];
  uint32_t caller = gp_symtab_find(m->symtab, sites->first[row]);
  m->function[context] = callee != GP_NONE ? callee : above;
  m->site[context] = callee == GP_NONE ? GP_NONE : caller != GP_NONE ? caller : above;
}

static bool allocate(gp_measured *m) {
  m->entered = gp_callgraph_entered(m->symtab);
  m->function = gp_column(context_count(m), sizeof *m->function);
  m->site = gp_column(context_count(m), sizeof *m->site);
  m->sampled = gp_column(m->paths->samples.count, sizeof *m->sampled);
  return m->entered && m->function && m->site && m->sampled;
}

bool gp_measured_find(gp_measured *m, const gp_data *data, const gp_symtab *symtab,
                      gp_error *error) {
  m->paths = &data->paths;
  m->symtab = symtab;
  if (!allocate(m)) return gp_fail_memory(error);
  m->function[GP_ROOT_CONTEXT] = m->site[GP_ROOT_CONTEXT] = GP_NONE;
  for (uint32_t c = 1; c < context_count(m); c++) find_functions(m, c);
  for (size_t i = 0; i < m->paths->samples.count; i++)
    m->sampled[i] = gp_symtab_find(symtab, m->paths->samples.second[i]);
  return true;
}

void gp_measured_free(gp_measured *m) {
  free(m->entered);
  free(m->function);
  free(m->site);
  free(m->sampled);
  memset(m, 0, sizeof *m);
}

/* Whether an address is that of a symbol of inlined code. */
static bool is_inlined_code(const gp_measured *m, uint64_t address) {
  uint32_t symbol = gp_symtab_at(m->symtab, address);
  return symbol != GP_NONE && gp_symtab_is_inlined(m->symtab, symbol);
}

void gp_measured_self(const gp_measured *m, const gp_selection *flat,
                      gp_samples *samples) {
  const gp_pairs *all = &m->paths->samples;
  memset(samples->ticks, 0, m->symtab->count * sizeof *samples->ticks);
  if (samples->inlined)
    memset(samples->inlined, 0, m->symtab->count * sizeof *samples->inlined);
  samples->total = samples->counted;
  samples->assigned = 0;
  for (size_t i = 0; i < all->count; i++) {
    uint32_t function = m->sampled[i];
    if (function == GP_NONE) continue;
    double ticks = (double)all->amount[i];
    samples->assigned += ticks;
    if (!gp_is_selected(flat, function)) {
      samples->total -= ticks;
      continue;
    }
    samples->ticks[function] += ticks;
    if (samples->inlined && is_inlined_code(m, all->second[i]))
      samples->inlined[function] += ticks;
  }
}

/* --- steps ------------------------------------------------------------------- */

/* Adds calls to the arc from `caller` to `callee`. A path that stays in its function has
 * no step; neither has one that begins in the callee. */
static bool add_step(gp_pairs *arcs, uint32_t caller, uint32_t callee, uint64_t calls) {
  if (caller == GP_NONE || callee == GP_NONE || (caller == callee && calls == 0))
    return true;
  uint32_t row = gp_pairs_row(arcs, caller, callee);
  if (row != GP_NONE) arcs->amount[row] += calls;
  return row != GP_NONE;
}

/* Marks the steps into inlined functions. */
static bool mark_inlined(const gp_measured *m, gp_path_steps *steps,
                         const gp_pairs *arcs, const uint32_t *rows) {
  gp_pairs inlined;
  gp_pairs_init(&inlined);
  bool done = true;
  for (uint32_t c = 1; done && c < context_count(m); c++)
    if (m->site[c] != GP_NONE &&
        is_inlined_code(m, m->paths->sites.second[m->paths->contexts.second[c - 1]]))
      done = gp_pairs_row(&inlined, m->site[c], m->function[c]) != GP_NONE;
  steps->inlined = done ? gp_column(steps->count, sizeof *steps->inlined) : NULL;
  for (size_t i = 0; steps->inlined && i < steps->count; i++)
    steps->inlined[i] = gp_hash_find(&inlined.index, (gp_key){arcs->first[rows[i]],
                                     arcs->second[rows[i]]}) != GP_NONE;
  gp_pairs_free(&inlined);
  return steps->inlined != NULL;
}

static bool add_steps(const gp_measured *m, gp_pairs *arcs) {
  const gp_pairs *samples = &m->paths->samples, *indirect = &m->paths->indirect;
  bool done = true;
  for (uint32_t c = 1; done && c < context_count(m); c++)
    if (m->site[c] != GP_NONE)
      done = add_step(arcs, m->function[parent_of(m, c)], m->site[c], 0) &&
             add_step(arcs, m->site[c], m->function[c], 0);
  for (size_t i = 0; done && i < samples->count; i++)
    done = samples->amount[i] == 0 ||
           add_step(arcs, m->function[samples->first[i]], m->sampled[i], 0);
  for (size_t i = 0; done && i < indirect->count; i++)
    done = add_step(arcs, m->function[indirect->first[i]],
                    callee_at(m, indirect->second[i]), indirect->amount[i]);
  return done;
}

static bool is_before(const void *pairs, uint32_t b, uint32_t a) {
  const gp_pairs *arcs = pairs;
  if (arcs->first[b] != arcs->first[a]) return arcs->first[b] < arcs->first[a];
  return arcs->second[b] < arcs->second[a];
}

/* Copies arcs in the order of `rows`. */
static bool copy_steps(gp_path_steps *steps, const gp_pairs *arcs, const uint32_t *rows) {
  steps->caller = gp_column(arcs->count, sizeof *steps->caller);
  steps->callee = gp_column(arcs->count, sizeof *steps->callee);
  steps->calls = gp_column(arcs->count, sizeof *steps->calls);
  if (!steps->caller || !steps->callee || !steps->calls) return false;
  for (size_t i = 0; i < arcs->count; i++) {
    steps->caller[i] = (uint32_t)arcs->first[rows[i]];
    steps->callee[i] = (uint32_t)arcs->second[rows[i]];
    steps->calls[i] = arcs->amount[rows[i]];
  }
  steps->count = arcs->count;
  return true;
}

bool gp_measured_steps(const gp_measured *m, gp_path_steps *steps, gp_error *error) {
  gp_pairs arcs;
  gp_pairs_init(&arcs);
  bool done = add_steps(m, &arcs);
  uint32_t *rows = done ? gp_identity(arcs.count) : NULL;
  done = rows && gp_sort(rows, arcs.count, is_before, &arcs) &&
         copy_steps(steps, &arcs, rows) &&
         (!m->symtab->inlining || mark_inlined(m, steps, &arcs, rows));
  free(rows);
  gp_pairs_free(&arcs);
  return done || gp_fail_memory(error);
}

/* --- the time of arcs --------------------------------------------------------- */

/* Instead of an arc: a step within a function or a cycle. */
#define WITHIN (GP_NONE - 1)

/* The sums that become the times of arcs. Only the last function or cycle of a path has
 * the sample as self time, so each path belongs to at most one arc into a function or
 * cycle. */
typedef struct accounts {
  const gp_measured *m;
  gp_callgraph *graph;
  gp_hash arcs;         /* rows of the graph, by caller and callee */
  uint32_t *first, *second;  /* of each context: the arcs to the function with its call
                                site, and on to the callee; WITHIN; or GP_NONE: no time
                                passes */
  uint32_t *entry;      /* of each context: the arc by which its path entered its last
                           function or cycle; GP_NONE if it began there */
  uint64_t *ticks;      /* of each context, and of the contexts below it */
  gp_stacks *stacks;
  uint32_t *node;       /* of each context: its node in `stacks` */
} accounts;

static gp_key arc_key(const void *columns, uint32_t row) {
  const gp_callgraph *graph = columns;
  return (gp_key){graph->caller[row], graph->callee[row]};
}

/* Returns the arc of a step. An arc that the user excluded is not in the graph. */
static uint32_t step_of(const accounts *a, uint32_t caller, uint32_t callee) {
  if (caller == GP_NONE || callee == GP_NONE) return GP_NONE;
  if (caller == callee) return WITHIN;
  uint32_t arc = gp_hash_find(&a->arcs, (gp_key){caller, callee});
  bool within = arc != GP_NONE && gp_callgraph_is_recursive(a->graph, arc);
  return within ? WITHIN : arc;
}

/* Sets *node to that of a callee, which `arc` leads to from the caller's node. */
static bool add_node(accounts *a, uint32_t *node, uint32_t caller, uint32_t callee,
                     uint32_t arc) {
  if (caller == callee) return true;
  uint32_t above = arc == GP_NONE ? 0 : *node, row = 0;
  if (callee != GP_NONE && (row = gp_pairs_row(a->stacks, above, callee)) == GP_NONE)
    return false;
  *node = callee != GP_NONE ? row + 1 : 0;
  return true;
}

/* Finds the arcs of each context, parents first. */
static bool find_arcs(accounts *a) {
  const gp_measured *m = a->m;
  a->entry[GP_ROOT_CONTEXT] = GP_NONE;
  for (uint32_t c = 1; c < context_count(m); c++) {
    uint32_t parent = parent_of(m, c), site = m->site[c];
    uint32_t caller = m->function[parent], callee = m->function[c];
    bool same = site == GP_NONE && caller == callee;
    a->first[c] = same ? WITHIN : step_of(a, caller, site);
    a->second[c] = same ? WITHIN : step_of(a, site, callee);
    a->entry[c] = a->first[c] == WITHIN ? a->entry[parent] : a->first[c];
    if (a->second[c] != WITHIN) a->entry[c] = a->second[c];
    a->node[c] = a->node[parent];
    if (!same && (!add_node(a, &a->node[c], caller, site, a->first[c]) ||
                  !add_node(a, &a->node[c], site, callee, a->second[c])))
      return false;
  }
  return true;
}

/* Adds the ticks below a step to its arc. Returns those that pass on to the callers. */
static uint64_t pass(accounts *a, uint32_t arc, uint64_t ticks) {
  if (arc == GP_NONE) return 0;
  if (arc != WITHIN) a->graph->arc_children[arc] += (double)ticks;
  return ticks;
}

static bool add_samples(accounts *a, const gp_selection *flat, const gp_selection *time) {
  const gp_measured *m = a->m;
  const gp_pairs *samples = &m->paths->samples;
  for (size_t i = 0; i < samples->count; i++) {
    uint32_t context = (uint32_t)samples->first[i], function = m->sampled[i];
    if (samples->amount[i] == 0 || function == GP_NONE ||
        !gp_is_selected(flat, function) || !gp_is_selected(time, function))
      continue;
    uint32_t arc = step_of(a, m->function[context], function), node = a->node[context];
    if (!add_node(a, &node, m->function[context], function, arc)) return false;
    a->stacks->amount[node - 1] += samples->amount[i];
    uint32_t timed = arc == WITHIN ? a->entry[context] : arc;
    if (timed != GP_NONE) {  /* self time is not part of the children's time */
      a->graph->arc_self[timed] += (double)samples->amount[i];
      a->graph->arc_children[timed] -= (double)samples->amount[i];
    }
    a->ticks[context] += pass(a, arc, samples->amount[i]);
  }
  return true;
}

static bool open_accounts(accounts *a) {
  gp_callgraph *graph = a->graph;
  size_t count = context_count(a->m);
  graph->arc_self = gp_column(graph->arcs, sizeof *graph->arc_self);
  graph->arc_children = gp_column(graph->arcs, sizeof *graph->arc_children);
  a->first = gp_column(count, sizeof *a->first);
  a->second = gp_column(count, sizeof *a->second);
  a->entry = gp_column(count, sizeof *a->entry);
  a->ticks = gp_column(count, sizeof *a->ticks);
  a->node = gp_column(count, sizeof *a->node);
  gp_hash_init(&a->arcs, arc_key, graph);
  if (!graph->arc_self || !graph->arc_children || !a->first || !a->second || !a->entry ||
      !a->ticks || !a->node || !gp_hash_reserve(&a->arcs, graph->arcs))
    return false;
  for (uint32_t arc = 0; arc < graph->arcs; arc++) gp_hash_add(&a->arcs, arc);
  return true;
}

static void close_accounts(accounts *a) {
  gp_hash_free(&a->arcs);
  free(a->first);
  free(a->second);
  free(a->entry);
  free(a->ticks);
  free(a->node);
}

bool gp_measured_arcs(const gp_measured *m, gp_callgraph *graph, gp_stacks *stacks,
                      const gp_selection *flat, const gp_selection *time,
                      gp_error *error) {
  accounts a = {.m = m, .graph = graph, .stacks = stacks};
  bool done = open_accounts(&a) && find_arcs(&a) && add_samples(&a, flat, time);
  /* from each context to its parent, parents last */
  for (uint32_t c = context_count(m) - 1; done && c > GP_ROOT_CONTEXT; c--)
    a.ticks[parent_of(m, c)] += pass(&a, a.first[c], pass(&a, a.second[c], a.ticks[c]));
  close_accounts(&a);
  return done || gp_fail_memory(error);
}
