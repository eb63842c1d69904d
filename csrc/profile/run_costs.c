/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time and the calls of each function in one run. */
#include "profile/run_costs.h"

#include "base/array.h"
#include "base/count.h"
#include "profile/bin_walk.h"
#include "profile/callgraph.h"

bool gp_run_costs_init(gp_run_costs *costs, const gp_symtab *symtab, gp_error *error) {
  size_t count = symtab->count;
  memset(costs, 0, sizeof *costs);
  costs->symtab = symtab;
  costs->entered = gp_callgraph_entered(symtab);
  costs->run.function = gp_column(count, sizeof *costs->run.function);
  costs->run.time_of = gp_column(count, sizeof *costs->run.time_of);
  costs->run.calls_of = gp_column(count, sizeof *costs->run.calls_of);
  return (costs->entered && costs->run.function && costs->run.time_of &&
          costs->run.calls_of) || gp_fail_memory(error);
}

void gp_run_costs_free(gp_run_costs *costs) {
  free(costs->entered);
  free(costs->run.function);
  free(costs->run.time_of);
  free(costs->run.calls_of);
  free(costs->arcs.from);
  free(costs->arcs.self);
  free(costs->arcs.callee);
  memset(costs, 0, sizeof *costs);
}

/* Removes the values of the last run. */
static void clear(gp_run *run) {
  for (size_t i = 0; i < run->count; i++)
    run->time_of[run->function[i]] = run->calls_of[run->function[i]] = 0;
  run->count = 0;
  run->ticks = run->calls = 0;
  memset(&run->scale, 0, sizeof run->scale);
}

/* Lists a function, before its first value is added. */
static void list(gp_run *run, uint32_t function) {
  if (run->time_of[function] == 0 && run->calls_of[function] == 0)
    run->function[run->count++] = function;
}

/* --- time ---------------------------------------------------------------------- */

/* The scale of a histogram. The number of units is that of gp_histogram_scale. In a
 * damaged profile it can be 0; then no function has time. */
static gp_time_scale scale_of(const gp_histogram *histogram) {
  uint64_t units = (histogram->high - histogram->low) / GP_PROFIL_UNIT;
  gp_time_scale scale = {.units = units > 0 ? units : 1, .bins = histogram->bins,
                         .rate = histogram->rate,
                         .abbreviation = histogram->abbreviation};
  memcpy(scale.dimension, histogram->dimension, sizeof scale.dimension);
  gp_time_scale_reduce(&scale);
  return scale;
}

static bool add_histogram(gp_run_costs *costs, const gp_histogram *histogram,
                          double scale) {
  gp_bin_walk walk;
  gp_bin_part part;
  gp_bin_walk_start(&walk, histogram, costs->symtab, scale);
  while (gp_bin_walk_next(&walk)) {
    if (!gp_count_add(&costs->run.ticks, walk.count)) return false;
    while (gp_bin_walk_part(&walk, &part)) {
      uint32_t function = gp_symtab_owner(costs->symtab, part.symbol);
      uint64_t time;
      if (__builtin_mul_overflow(part.end - part.begin, walk.count, &time)) return false;
      if (time > 0) list(&costs->run, function);
      if (!gp_count_add(&costs->run.time_of[function], time)) return false;
    }
  }
  return true;
}

/* All histograms have nearly the same scale; as in reports, that of the first counts. */
static bool add_histograms(gp_run_costs *costs, const gp_data *data) {
  if (data->histogram_count == 0) return true;
  double scale = gp_histogram_scale(&data->histograms[0]);
  costs->run.scale = scale_of(&data->histograms[0]);
  for (size_t i = 0; i < data->histogram_count; i++)
    if (!add_histogram(costs, &data->histograms[i], scale)) return false;
  return true;
}

/* --- calls --------------------------------------------------------------------- */

/* Returns the function whose calls an arc counts, as in gp_callgraph_build; GP_NONE if
 * the arc is not between two functions. */
static uint32_t callee_of(const gp_run_costs *costs, const gp_data *data, size_t row) {
  const gp_symtab *symtab = costs->symtab;
  uint32_t callee = gp_symtab_find(symtab, data->arcs.self[row]);
  if (callee == GP_NONE) return GP_NONE;
  bool callerless = data->arcs.from[row] == gp_unknown_caller(data->layout) &&
                    symtab->policy->callerless_calls;
  if (!callerless && gp_symtab_find(symtab, data->arcs.from[row]) == GP_NONE)
    return GP_NONE;
  return costs->entered[callee];
}

/* Looks up the functions of the arcs that the last run did not have in the same rows. */
static bool update_arcs(gp_run_costs *costs, const gp_data *data) {
  gp_run_arcs *known = &costs->arcs;
  const gp_arcs *arcs = &data->arcs;
  if (!GP_RESERVE(&known->capacity, arcs->count, GP_COLUMN(known->from),
                  GP_COLUMN(known->self), GP_COLUMN(known->callee)))
    return false;
  for (size_t i = 0; i < arcs->count; i++) {
    if (i < known->count && known->from[i] == arcs->from[i] &&
        known->self[i] == arcs->self[i])
      continue;
    known->from[i] = arcs->from[i];
    known->self[i] = arcs->self[i];
    known->callee[i] = callee_of(costs, data, i);
  }
  if (known->count < arcs->count) known->count = arcs->count;
  return true;
}

static bool add_calls(gp_run_costs *costs, const gp_data *data) {
  gp_run *run = &costs->run;
  for (size_t i = 0; i < data->arcs.count; i++) {
    uint64_t calls = data->arcs.calls[i];
    uint32_t callee = costs->arcs.callee[i];
    if (calls == 0 || callee == GP_NONE) continue;
    list(run, callee);
    if (!gp_count_add(&run->calls_of[callee], calls) || !gp_count_add(&run->calls, calls))
      return false;
  }
  return true;
}

bool gp_run_costs_compute(gp_run_costs *costs, const gp_data *data, gp_error *error) {
  clear(&costs->run);
  if (data->shared)
    return gp_fail(error, "is a profile of a shared library, which has no spread");
  if (!update_arcs(costs, data)) return gp_fail_memory(error);
  return (add_histograms(costs, data) && add_calls(costs, data)) ||
         gp_fail(error, "the time or the calls of a function exceed 63 bits");
}
