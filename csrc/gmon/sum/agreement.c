/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the counts of two sums. */
#include "gmon/sum/agreement.h"

#include "gmon/bins.h"

static bool has_calls_of(const gp_arcs *arcs, const gp_arcs *other) {
  for (size_t i = 0; i < other->count; i++) {
    uint32_t row = gp_hash_find(&arcs->index, (gp_key){other->from[i], other->self[i]});
    if ((row == GP_NONE ? 0 : arcs->calls[row]) != other->calls[i]) return false;
  }
  return true;
}

static const gp_histogram *find_range(const gp_data *data, const gp_histogram *like) {
  for (size_t i = 0; i < data->histogram_count; i++) {
    const gp_histogram *h = &data->histograms[i];
    if (h->low == like->low && h->high == like->high && h->bins == like->bins) return h;
  }
  return NULL;
}

static bool has_samples_of(const gp_data *data, const gp_data *other) {
  for (size_t i = 0; i < other->histogram_count; i++) {
    const gp_histogram *theirs = &other->histograms[i], *own = find_range(data, theirs);
    for (size_t bin = 0; bin < theirs->bins; bin++)
      if (gp_bin(theirs, bin) != (own ? gp_bin(own, bin) : 0)) return false;
  }
  return true;
}

bool gp_have_same_calls(const gp_data *a, const gp_data *b) {
  return has_calls_of(&a->arcs, &b->arcs) && has_calls_of(&b->arcs, &a->arcs);
}

bool gp_have_same_samples(const gp_data *a, const gp_data *b) {
  return has_samples_of(a, b) && has_samples_of(b, a);
}
