/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The address ranges for which a profile has data. */
#include "gmon/recorded_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gmon/bins.h"

/* Appends a range, or extends the last one if they overlap or are adjacent. */
static bool append(gp_recorded_ranges *recorded, uint64_t low, uint64_t high) {
  gp_range *last = recorded->count > 0 ? &recorded->ranges[recorded->count - 1] : NULL;
  if (last && last->low <= low && low <= last->high) {
    if (last->high < high) last->high = high;
    return true;
  }
  if (!GP_RESERVE(&recorded->capacity, recorded->count + 1, GP_COLUMN(recorded->ranges)))
    return false;
  /* just reserved: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
  recorded->ranges[recorded->count++] = (gp_range){low, high};
  return true;
}

/* Appends the bins with samples, each extended by two bytes at both ends: samples are
 * assigned to functions in units of two bytes. `bytes` is the size of a bin. */
static bool add_bins(gp_recorded_ranges *recorded, const gp_histogram *histogram,
                     double bytes) {
  for (size_t i = 0; i < histogram->bins; i++) {
    if (gp_bin(histogram, i) == 0) continue;
    uint64_t low = histogram->low + (uint64_t)(bytes * (double)i);
    uint64_t high = histogram->low + (uint64_t)(bytes * (double)(i + 1));
    if (!append(recorded, low < 2 ? 0 : low - 2, high + 2)) return false;
  }
  return true;
}

static bool add_addresses(gp_recorded_ranges *recorded, const uint64_t *addresses,
                          size_t count) {
  for (size_t i = 0; i < count; i++)
    if (addresses[i] < UINT64_MAX && !append(recorded, addresses[i], addresses[i] + 1))
      return false;
  return true;
}

static int by_low(const void *left, const void *right) {
  const gp_range *a = left, *b = right;
  return a->low < b->low ? -1 : a->low > b->low;
}

/* Sorts the ranges, and joins those that overlap or are adjacent. */
static void join(gp_recorded_ranges *recorded) {
  gp_range *ranges = recorded->ranges;
  size_t count = recorded->count;
  if (count > 0) qsort(ranges, count, sizeof *ranges, by_low);
  recorded->count = 0;
  for (size_t i = 0; i < count; i++)  /* in place: never more ranges than before */
    append(recorded, ranges[i].low, ranges[i].high);
}

bool gp_recorded_ranges_find(gp_recorded_ranges *recorded, const gp_data *data) {
  memset(recorded, 0, sizeof *recorded);
  bool done = true;
  /* the first histogram's bin size, as in gp_samples_assign without mixed_scales */
  for (size_t h = 0; done && h < data->histogram_count; h++)
    done = add_bins(recorded, &data->histograms[h],
                    2 * gp_histogram_scale(&data->histograms[0]));
  done = done && add_addresses(recorded, data->arcs.from, data->arcs.count) &&
         add_addresses(recorded, data->blocks.address, data->blocks.count);
  if (done)
    join(recorded);
  else
    gp_recorded_ranges_free(recorded);
  return done;
}

void gp_recorded_ranges_free(gp_recorded_ranges *recorded) {
  free(recorded->ranges);
  memset(recorded, 0, sizeof *recorded);
}

bool gp_recorded_ranges_in(const gp_recorded_ranges *recorded, gp_range range) {
  size_t first = gp_range_above(recorded->ranges, recorded->count, range.low);
  return first < recorded->count && recorded->ranges[first].low < range.high;
}
