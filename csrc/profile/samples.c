/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns samples to functions. */
#include "profile/samples.h"

#include <string.h>

#include "base/array.h"
#include "profile/bin_walk.h"

/* Sums of ticks: in selected functions, and in bins or parts of bins without a symbol. */
typedef struct tick_sums {
  double selected, outside;
} tick_sums;

/* Gives ticks to a function, if it is selected. */
static void give(gp_samples *samples, tick_sums *sums, const gp_selection *flat,
                 uint32_t function, double credit) {
  if (gp_is_selected(flat, function)) {
    samples->ticks[function] += credit;
    sums->selected += credit;
  } else {
    samples->total -= credit;
  }
}

/* Divides ticks in code of a compiled function among the functions that were inlined
 * there, in proportion to their bytes. */
static bool give_inlined(gp_samples *samples, tick_sums *sums, const gp_selection *flat,
                         uint32_t compiled, gp_range code, double credit) {
  gp_inlined_ticks *trees = samples->trees;
  double per_byte = credit / (double)(code.high - code.low);
  while (code.low < code.high) {
    uint64_t high = code.high;
    uint32_t node;
    if (!gp_inlined_ticks_at(trees, compiled, code.low, &high, &node)) return false;
    uint32_t function = (uint32_t)trees->nodes.second[node];
    double part = per_byte * (double)(high - code.low);
    give(samples, sums, flat, function, part);
    if (gp_is_selected(flat, function)) trees->ticks[node] += part;
    if (gp_is_selected(flat, function) && trees->nodes.first[node] != 0)
      samples->inlined[function] += part;
    code.low = high;
  }
  return true;
}

/* Divides the samples of a bin among its symbols. As in GNU gprof, the quotient is formed
 * last: which functions have equal times depends on it. The scale is that of an average
 * bin, so credits can add up to more or less than the bin's count; `assigned` is exact.
 * False if there is no memory. */
static bool spread(gp_samples *samples, tick_sums *sums, const gp_selection *flat,
                   gp_bin_walk *walk) {
  double count = (double)walk->count;
  uint64_t covered = 0, units = walk->high - walk->low;
  gp_bin_part part;
  while (gp_bin_walk_part(walk, &part)) {
    double credit = (double)(part.end - part.begin) * count / samples->scale;
    uint32_t function = gp_symtab_owner(walk->symtab, part.symbol);
    gp_range code = {part.begin * GP_PROFIL_UNIT, part.end * GP_PROFIL_UNIT};
    covered += part.end - part.begin;
    if (!samples->trees)
      give(samples, sums, flat, function, credit);
    else if (!give_inlined(samples, sums, flat, function, code, credit))
      return false;
  }
  double assigned = covered < units ? (double)covered / (double)units : 1;
  samples->assigned += count * assigned;
  sums->outside += count * (1 - assigned);
  return true;
}

static bool assign(gp_samples *samples, tick_sums *sums, const gp_histogram *histogram,
                   const gp_symtab *symtab, const gp_selection *flat) {
  gp_bin_walk walk;
  gp_bin_walk_start(&walk, histogram, symtab, samples->scale);
  while (gp_bin_walk_next(&walk)) {
    samples->total += (double)walk.count;
    samples->counted += (double)walk.count;
    if (!spread(samples, sums, flat, &walk)) return false;
  }
  return true;
}

bool gp_samples_assign(gp_samples *samples, const gp_data *data, const gp_symtab *symtab,
                       const gp_selection *flat, bool restricted, bool has_paths,
                       gp_error *error) {
  tick_sums sums = {0, 0};
  memset(samples, 0, sizeof *samples);
  samples->ticks = gp_column(symtab->count, sizeof *samples->ticks);
  bool inlines = symtab->inlining != NULL, in_trees = inlines && !has_paths;
  if (inlines) samples->inlined = gp_column(symtab->count, sizeof *samples->inlined);
  if (in_trees) samples->trees = gp_inlined_ticks_new(symtab);
  if (!samples->ticks || (inlines && !samples->inlined) || (in_trees && !samples->trees))
    return gp_fail_memory(error);
  if (data->histogram_count == 0) return true;
  /* without `mixed_scales`, all histograms have nearly the same scale */
  const gp_histogram *first = &data->histograms[0];
  samples->rate = first->rate;
  samples->scale = gp_histogram_scale(first);
  memcpy(samples->dimension, first->dimension, sizeof samples->dimension);
  samples->abbreviation = first->abbreviation;
  for (size_t i = 0; i < data->histogram_count; i++) {
    if (data->mixed_scales) samples->scale = gp_histogram_scale(&data->histograms[i]);
    if (!assign(samples, &sums, &data->histograms[i], symtab, flat))
      return gp_fail_memory(error);
  }
  samples->scale = gp_histogram_scale(first);
  if (restricted && symtab->policy->selected_total)
    samples->total = sums.selected + sums.outside;
  return true;
}

void gp_samples_free(gp_samples *samples) {
  free(samples->ticks);
  free(samples->inlined);
  gp_inlined_ticks_free(samples->trees);
  samples->ticks = samples->inlined = NULL;
  samples->trees = NULL;
}
