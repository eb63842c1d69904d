/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares two sums of profiles. */
#include "sameness.h"

#include "gmon/bins.h"
#include "support.h"

static bool is_times(uint64_t many, uint64_t one, uint64_t times) {
  return one <= UINT64_MAX / times && many == one * times;
}

static bool are_times(const uint64_t *many, const uint64_t *one, size_t count,
                      uint64_t times) {
  for (size_t i = 0; i < count; i++)
    if (!is_times(many[i], one[i], times)) return false;
  return true;
}

static bool are_same(const uint64_t *a, const uint64_t *b, size_t count) {
  return are_times(a, b, count, 1);
}

static bool same_header(const gp_histogram *a, const gp_histogram *b) {
  return a->low == b->low && a->high == b->high && a->bins == b->bins &&
         a->rate == b->rate && strcmp(a->dimension, b->dimension) == 0 &&
         a->abbreviation == b->abbreviation;
}

static bool histograms_match(const gp_data *one, const gp_data *many, uint64_t times) {
  if (one->histogram_count != many->histogram_count) return false;
  for (size_t i = 0; i < one->histogram_count; i++) {
    const gp_histogram *a = &one->histograms[i], *b = &many->histograms[i];
    if (!same_header(a, b)) return false;
    for (size_t bin = 0; bin < a->bins; bin++)
      if (!is_times(gp_bin(b, bin), gp_bin(a, bin), times)) return false;
  }
  return true;
}

bool fuzz_is_multiple(const gp_data *one, const gp_data *many, uint64_t times) {
  const gp_arcs *arcs = &one->arcs;
  const gp_blocks *blocks = &one->blocks;
  return histograms_match(one, many, times) && one->shared == many->shared &&
         is_times(many->uncounted, one->uncounted, times) &&
         arcs->count == many->arcs.count &&
         blocks->count == many->blocks.count &&
         are_same(many->arcs.from, arcs->from, arcs->count) &&
         are_same(many->arcs.self, arcs->self, arcs->count) &&
         are_times(many->arcs.calls, arcs->calls, arcs->count, times) &&
         are_same(many->blocks.address, blocks->address, blocks->count) &&
         are_times(many->blocks.executions, blocks->executions, blocks->count, times);
}

void fuzz_check_data(const gp_data *data) {
  for (size_t i = 0; i < data->histogram_count; i++) {
    const gp_histogram *histogram = &data->histograms[i];
    FUZZ_HOLDS(histogram->bins > 0 && histogram->low < histogram->high);
    FUZZ_HOLDS(gp_data_histogram_above(data, histogram->low) == i);
    FUZZ_HOLDS(gp_data_histogram_above(data, histogram->high - 1) == i);
  }
}
