/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profile data: sums of histograms, arcs and blocks. */
#include "gmon/gmon.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"
#include "base/search.h"
#include "base/sort.h"
#include "gmon/bins.h"

/* The largest range of a histogram, in bytes. It leaves room for signed computations. */
#define MAX_TEXT (UINT64_C(1) << 62)

/* --- columns --------------------------------------------------------------- */

static gp_key arc_key(const void *columns, uint32_t row) {
  const gp_arcs *arcs = columns;
  return (gp_key){arcs->from[row], arcs->self[row]};
}

static gp_key block_key(const void *columns, uint32_t row) {
  const gp_blocks *blocks = columns;
  return (gp_key){blocks->address[row], 0};
}

void gp_data_init(gp_data *data, gp_layout layout) {
  memset(data, 0, sizeof *data);
  data->layout = layout;
  gp_hash_init(&data->arcs.index, arc_key, &data->arcs);
  gp_hash_init(&data->blocks.index, block_key, &data->blocks);
  gp_call_paths_init(&data->paths);
}

void gp_data_free(gp_data *data) {
  for (size_t i = 0; i < data->histogram_count; i++) free(data->histograms[i].counts);
  free(data->histograms);
  free(data->by_address);
  free(data->arcs.from);
  free(data->arcs.self);
  free(data->arcs.calls);
  gp_hash_free(&data->arcs.index);
  free(data->blocks.address);
  free(data->blocks.executions);
  gp_hash_free(&data->blocks.index);
  gp_call_paths_free(&data->paths);
  gp_data_init(data, data->layout);
}

/* Text for a message that locates a record, such as " at offset 20". It is empty if the
 * record is not from a file. */
typedef struct origin {
  char text[32];
} origin;

static origin origin_of(uint64_t offset) {
  origin from = {""};
  if (offset != GP_NO_OFFSET)
    snprintf(from.text, sizeof from.text, " at offset %" PRIu64, offset);
  return from;
}

static bool add_count(uint64_t *count, uint64_t more, uint64_t offset, gp_error *error) {
  return gp_count_add(count, more) ||
         gp_fail(error, "count exceeds 63 bits%s%s",
                 offset != GP_NO_OFFSET ? " in the record" : "", origin_of(offset).text);
}

/* Returns the row of an arc, or GP_NONE. Profiles of one program list their arcs in the
 * same order. So the arc is usually one row below the previous arc, or two rows below it
 * if this profile lacks an arc. */
static uint32_t find_arc(const gp_arcs *arcs, uint64_t from, uint64_t self) {
  for (size_t row = arcs->next; row < arcs->next + (size_t)2 && row < arcs->count; row++)
    if (arcs->from[row] == from && arcs->self[row] == self) return (uint32_t)row;
  return gp_hash_find(&arcs->index, (gp_key){from, self});
}

static bool reserve_arcs(gp_arcs *arcs, size_t more) {
  return GP_RESERVE(&arcs->capacity, arcs->count + more, GP_COLUMN(arcs->from),
                    GP_COLUMN(arcs->self), GP_COLUMN(arcs->calls)) &&
         gp_hash_reserve(&arcs->index, more);
}

/* Returns the row of the new arc, or GP_NONE if there is no memory. */
static uint32_t append_arc(gp_arcs *arcs, uint64_t from, uint64_t self) {
  if (!reserve_arcs(arcs, 1)) return GP_NONE;
  uint32_t row = (uint32_t)arcs->count;
  arcs->from[row] = from;
  arcs->self[row] = self;
  gp_hash_add(&arcs->index, row);
  arcs->count++;
  return row;
}

void gp_data_forget_index(gp_data *data) { gp_hash_free(&data->arcs.index); }

/* Makes the index if it was forgotten. False if there is no memory. */
static bool index_arcs(gp_arcs *arcs) {
  if (arcs->index.size > 0 || arcs->count == 0) return true;
  if (!gp_hash_reserve(&arcs->index, arcs->count)) return false;
  for (uint32_t row = 0; row < arcs->count; row++) gp_hash_add(&arcs->index, row);
  return true;
}

bool gp_data_add_arc(gp_data *data, uint64_t from, uint64_t self, uint64_t calls,
                     uint64_t offset, gp_error *error) {
  gp_arcs *arcs = &data->arcs;
  if (!index_arcs(arcs)) return gp_fail_memory(error);
  uint32_t row = find_arc(arcs, from, self);
  uint64_t sum = row == GP_NONE ? 0 : arcs->calls[row];
  if (!add_count(&sum, calls, offset, error)) return false;
  if (row == GP_NONE) row = append_arc(arcs, from, self);
  if (row == GP_NONE) return gp_fail_memory(error);
  arcs->calls[row] = sum;
  arcs->next = row + 1;
  data->stats.arc_records++;
  data->has_arcs = true;
  return true;
}

static bool reserve_blocks(gp_blocks *blocks, size_t more) {
  return GP_RESERVE(&blocks->capacity, blocks->count + more, GP_COLUMN(blocks->address),
                    GP_COLUMN(blocks->executions)) &&
         gp_hash_reserve(&blocks->index, more);
}

/* Returns the row of the new block, or GP_NONE if there is no memory. */
static uint32_t append_block(gp_blocks *blocks, uint64_t address) {
  if (!reserve_blocks(blocks, 1)) return GP_NONE;
  uint32_t row = (uint32_t)blocks->count;
  blocks->address[row] = address;
  gp_hash_add(&blocks->index, row);
  blocks->count++;
  return row;
}

bool gp_data_add_block(gp_data *data, uint64_t address, uint64_t executions,
                       uint64_t offset, gp_error *error) {
  gp_blocks *blocks = &data->blocks;
  uint32_t row = gp_hash_find(&blocks->index, (gp_key){address, 0});
  uint64_t sum = row == GP_NONE ? 0 : blocks->executions[row];
  if (!add_count(&sum, executions, offset, error)) return false;
  if (row == GP_NONE) row = append_block(blocks, address);
  if (row == GP_NONE) return gp_fail_memory(error);
  blocks->executions[row] = sum;
  return true;
}

/* --- histograms ------------------------------------------------------------ */

double gp_histogram_scale(const gp_histogram *histogram) {
  /* rounds down to whole units on purpose NOLINTNEXTLINE(bugprone-integer-division) */
  return (double)((histogram->high - histogram->low) / 2) / (double)histogram->bins;
}

/* Histograms arrive in any address order, and each must be looked up among the earlier
 * ones. So `by_address` consists of sorted runs. Their lengths are the powers of two in
 * the binary representation of the count, the longest first: 13 = 8 + 4 + 1. Adding a
 * histogram merges the last runs, as a binary increment carries. */

static bool is_below(const void *histograms, uint32_t b, uint32_t a) {
  const gp_histogram *all = histograms;
  return all[b].low < all[a].low;
}

/* Returns the length of the last run of `count` histograms: the lowest bit set in
 * `count`. */
static size_t last_run(size_t count) { return count & ~(count - 1); }

/* Appends a histogram like `header`, but without bins. NULL if there is no memory. */
static gp_histogram *append_histogram(gp_data *data, const gp_histogram *header) {
  size_t count = data->histogram_count, run = last_run(count + 1);
  if (!GP_RESERVE(&data->histogram_capacity, count + 1, GP_COLUMN(data->histograms),
                  GP_COLUMN(data->by_address)))
    return NULL;
  gp_histogram *place = &data->histograms[count];
  *place = *header;
  place->bins = 0;
  place->width = 2;
  place->counts = NULL;
  data->by_address[count] = (uint32_t)count;
  if (!gp_sort(data->by_address + count + 1 - run, run, is_below, data->histograms))
    return NULL;
  data->histogram_count++;
  return place;
}

/* Row numbers of histograms, sorted by address. */
typedef struct sorted_run {
  const gp_histogram *histograms;
  const uint32_t *numbers;
} sorted_run;

static bool ends_before(const void *sorted, size_t i, uint64_t address) {
  const sorted_run *r = sorted;
  return r->histograms[r->numbers[i]].high <= address;
}

uint32_t gp_data_histogram_above(const gp_data *data, uint64_t address) {
  uint32_t first = GP_NONE;
  for (size_t end = data->histogram_count, length; end > 0; end -= length) {
    length = last_run(end);
    sorted_run last = {data->histograms, data->by_address + end - length};
    size_t place = gp_search(&last, 0, length, address, ends_before);
    if (place == length) continue;
    uint32_t found = last.numbers[place];
    if (first == GP_NONE || is_below(data->histograms, found, first)) first = found;
  }
  return first;
}

/* Whether two histograms are of the same code, but only one is from glibc, which rounds
 * the number of bins up to a multiple of four. The recorder makes as many bins as the
 * code has. */
static bool are_of_two_profilers(const gp_histogram *a, const gp_histogram *b) {
  size_t least = a->bins < b->bins ? a->bins : b->bins;
  size_t most = a->bins < b->bins ? b->bins : a->bins;
  return a->low == b->low && a->high == b->high && (a->high - a->low) / 4 == least &&
         most % 4 == 0 && most - least < 4;
}

static const char *reason_for_bins(const gp_histogram *a, const gp_histogram *b) {
  if (are_of_two_profilers(a, b))
    return "one is from --record, the other from the C library: such profiles cannot be "
           "added up: record all in the same way";
  return "the profile is probably from another build of the program";
}

static bool is_same_unit(const gp_data *data, const gp_histogram *a,
                         const gp_histogram *b) {
  return strcmp(a->dimension, b->dimension) == 0 && a->abbreviation == b->abbreviation &&
         (a->rate == b->rate || data->mixed_rates);
}

/* Whether a histogram has the unit and the rate of the others. */
static bool has_unit(const gp_data *data, const gp_histogram *histogram) {
  return data->histogram_count == 0 || is_same_unit(data, data->histograms, histogram);
}

/* Reports that the unit or the rate of `new` differs from that of `first`. */
static bool fail_unit(const gp_histogram *first, const gp_histogram *new,
                      uint64_t offset, gp_error *error) {
  if (strcmp(new->dimension, first->dimension) != 0)
    return gp_fail(error,
                   "histogram%s counts '%s', but earlier ones count '%s'",
                   origin_of(offset).text, new->dimension, first->dimension);
  if (new->abbreviation != first->abbreviation)
    return gp_fail(error,
                   "histogram%s counts '%s' (%c), but earlier ones count '%s' (%c)",
                   origin_of(offset).text, new->dimension, new->abbreviation,
                   first->dimension, first->abbreviation);
  return gp_fail(error,
                 "histogram%s has rate %" PRIu32 ", but earlier ones have %" PRIu32,
                 origin_of(offset).text, new->rate, first->rate);
}

/* Whether `new` has the bin size of `first`. Bin sizes may differ by 2e-6 bytes. */
static bool has_scale(const gp_data *data, const gp_histogram *first,
                      const gp_histogram *new, uint64_t offset, gp_error *error) {
  double scale = gp_histogram_scale(new), expected = gp_histogram_scale(first);
  if (fabs(scale - expected) > 1e-6 && !data->mixed_scales)
    return gp_fail(error,
                   "histogram%s has bins of %g bytes, but earlier ones have %g: %s",
                   origin_of(offset).text, scale * 2, expected * 2,
                   reason_for_bins(new, first));
  return true;
}

static bool is_valid(const gp_histogram *new, bool is_as_gnu, uint64_t offset,
                     gp_error *error) {
  if (new->bins == 0)
    return gp_fail(error, "histogram%s has no bins", origin_of(offset).text);
  if (new->low >= new->high)
    return gp_fail(error, "histogram%s covers no text: 0x%" PRIx64 " to 0x%" PRIx64,
                   origin_of(offset).text, new->low, new->high);
  if (new->bins > new->high - new->low && !is_as_gnu)
    return gp_fail(error, "histogram%s has %zu bins for %" PRIu64 " bytes of code: bins "
                   "of less than a byte", origin_of(offset).text, new->bins,
                   new->high - new->low);
  if (new->high - new->low > MAX_TEXT)
    return gp_fail(error,
                   "histogram%s covers an impossibly large range: 0x%" PRIx64
                   " to 0x%" PRIx64, origin_of(offset).text, new->low, new->high);
  if (new->rate == 0)
    return gp_fail(error, "histogram%s has a rate of 0", origin_of(offset).text);
  return true;
}

/* Checks that a histogram can be added, if its unit and rate fit. Sets *same to the
 * histogram with the same range, or to NULL if there is none. */
static bool find_same(const gp_data *data, const gp_histogram *header, uint64_t offset,
                      gp_histogram **same, gp_error *error) {
  const gp_histogram *first = data->histogram_count > 0 ? data->histograms : header;
  if (!is_valid(header, data->mixed_rates, offset, error) ||
      !has_scale(data, first, header, offset, error))
    return false;
  uint32_t above = gp_data_histogram_above(data, header->low);
  gp_histogram *next = above != GP_NONE ? &data->histograms[above] : NULL;
  *same = next && header->high > next->low ? next : NULL;
  if (!*same || (header->low == next->low && header->high == next->high &&
                 header->bins == next->bins))
    return true;
  return gp_fail(error,
                 "histogram%s, 0x%" PRIx64 " to 0x%" PRIx64
                 ", overlaps another one, 0x%" PRIx64 " to 0x%" PRIx64,
                 origin_of(offset).text, header->low, header->high, next->low,
                 next->high);
}

/* Whether the unit and the rate of a histogram allow adding it; `sampled` is whether it
 * has samples. As in GNU gprof, units must always agree if rates may differ. */
static bool accepts_unit(const gp_data *data, const gp_histogram *header, bool sampled,
                         uint64_t offset, gp_error *error) {
  bool any = !(data->sampled && sampled) && !data->mixed_rates;
  return any || has_unit(data, header) ||
         fail_unit(data->histograms, header, offset, error);
}

void gp_data_take_unit(gp_data *data, const gp_histogram *header) {
  if (data->sampled || data->mixed_rates || has_unit(data, header)) return;
  for (size_t i = 0; i < data->histogram_count; i++) {
    gp_histogram *histogram = &data->histograms[i];
    histogram->rate = header->rate;
    memcpy(histogram->dimension, header->dimension, sizeof header->dimension);
    histogram->abbreviation = header->abbreviation;
  }
}

bool gp_data_accepts(const gp_data *data, const gp_histogram *header, bool sampled,
                     uint64_t offset, gp_error *error) {
  gp_histogram *same;
  return accepts_unit(data, header, sampled, offset, error) &&
         find_same(data, header, offset, &same, error);
}

gp_histogram *gp_data_histogram(gp_data *data, const gp_histogram *header,
                                uint64_t offset, bool *is_new, gp_error *error) {
  gp_histogram *histogram;
  if (!has_unit(data, header)) {
    fail_unit(data->histograms, header, offset, error);
    return NULL;
  }
  if (!find_same(data, header, offset, &histogram, error)) return NULL;
  *is_new = histogram == NULL;
  if (*is_new) histogram = append_histogram(data, header);
  if (!histogram) gp_fail_memory(error);
  data->stats.histogram_records += histogram != NULL;
  return histogram;
}

/* Whether the bins can be added without overflow. */
static bool bins_fit(const gp_histogram *histogram, const gp_histogram *more,
                     gp_error *error) {
  if (histogram->width < 8 && more->width < 8) return true;
  for (size_t bin = 0; bin < more->bins; bin++) {
    uint64_t sum = gp_bin(histogram, bin);
    if (!gp_count_add(&sum, gp_bin(more, bin)))
      return gp_fail(error, "2^63 samples or more in a bin");
  }
  return true;
}

/* Whether a histogram can be added. Sets *is_new if its range is new. */
static bool can_add_histogram(gp_data *data, const gp_histogram *histogram, bool *is_new,
                              gp_error *error) {
  gp_histogram *same;
  if (!find_same(data, histogram, GP_NO_OFFSET, &same, error)) return false;
  *is_new = same == NULL;
  return *is_new || bins_fit(same, histogram, error);
}

/* Copies a histogram, with bins as narrow as their counts allow. */
static bool copy_bins(const gp_histogram *histogram, gp_histogram *copy,
                      gp_error *error) {
  *copy = *histogram;
  copy->width = 2;
  copy->counts = gp_column(histogram->bins, 2);
  if (!copy->counts) return gp_fail_memory(error);
  if (gp_bins_merge(copy, histogram, error)) return true;
  free(copy->counts);
  return false;
}

static bool add_new_histogram(gp_data *data, const gp_histogram *histogram,
                              gp_error *error) {
  gp_histogram copy, *added;
  if (!copy_bins(histogram, &copy, error)) return false;
  added = append_histogram(data, histogram);
  if (!added) {
    free(copy.counts);
    return gp_fail_memory(error);
  }
  *added = copy;
  return true;
}

/* Makes all allocations for adding a histogram, so that add_reserved cannot fail. A
 * histogram whose range is new is added here, with its counts. */
static bool reserve_histogram(gp_data *data, const gp_histogram *histogram,
                              gp_error *error) {
  gp_histogram *same;
  if (!find_same(data, histogram, GP_NO_OFFSET, &same, error)) return false;
  if (!same) return add_new_histogram(data, histogram, error);
  return gp_bins_reserve(same, histogram) || gp_fail_memory(error);
}

/* Adds the bins of a histogram to one of the first `old_count` histograms. Later ones
 * have already got their bins from reserve_histogram. */
static bool add_reserved(gp_data *data, const gp_histogram *histogram, size_t old_count,
                         gp_error *error) {
  gp_histogram *same;
  if (!find_same(data, histogram, GP_NO_OFFSET, &same, error)) return false;
  data->stats.histogram_records++;
  return (size_t)(same - data->histograms) >= old_count ||
         gp_bins_merge(same, histogram, error);
}

bool gp_data_leaves_out(const gp_data *data, const gp_histogram *histogram) {
  return data->sampled && !data->mixed_rates && !has_unit(data, histogram);
}

bool gp_data_add_histogram(gp_data *data, const gp_histogram *histogram,
                           gp_error *error) {
  size_t old_count = data->histogram_count;
  bool is_new, sampled = gp_bins_next(histogram, 0) < histogram->bins;
  if (!accepts_unit(data, histogram, sampled, GP_NO_OFFSET, error) ||
      !can_add_histogram(data, histogram, &is_new, error))
    return false;
  if (gp_data_leaves_out(data, histogram)) return true;
  if (!reserve_histogram(data, histogram, error) ||
      !add_reserved(data, histogram, old_count, error))
    return false;
  gp_data_take_unit(data, histogram);
  data->sampled |= sampled;
  return true;
}

/* --- merging sums ------------------------------------------------------------ */

/* What a merge adds. */
typedef struct addition {
  const gp_data *other;
  size_t histograms;    /* of `other`; 0 if they are left out */
  size_t new_histograms, new_arcs, new_blocks;
} addition;

/* Whether the units and rates of all histograms fit. */
static bool units_fit(const gp_data *data, const gp_data *other, gp_error *error) {
  const gp_histogram *all = other->histograms;
  for (size_t i = 0; i < other->histogram_count; i++)
    if (!is_same_unit(data, all, &all[i]))
      return fail_unit(all, &all[i], GP_NO_OFFSET, error);
  return other->histogram_count == 0 ||
         accepts_unit(data, all, other->sampled, GP_NO_OFFSET, error);
}

/* Whether all histograms of `other` can be added, or left out. */
static bool can_add_histograms(gp_data *data, addition *a, gp_error *error) {
  const gp_data *other = a->other;
  if (!units_fit(data, other, error)) return false;
  for (size_t i = 0; i < other->histogram_count; i++) {
    bool is_new;
    if (!can_add_histogram(data, &other->histograms[i], &is_new, error)) return false;
    a->new_histograms += is_new;
  }
  a->histograms = other->histogram_count;
  if (a->histograms > 0 && gp_data_leaves_out(data, other->histograms))
    a->histograms = a->new_histograms = 0;
  return true;
}

/* Whether all records of `other` can be added. This is checked before any record is
 * added, because an error must leave the data unchanged. Counts the new records. */
static bool can_merge(gp_data *data, addition *a, gp_error *error) {
  const gp_data *other = a->other;
  if (!can_add_histograms(data, a, error)) return false;
  data->arcs.next = 0;
  if (!index_arcs(&data->arcs)) return gp_fail_memory(error);
  for (size_t i = 0; i < other->arcs.count; i++) {
    uint32_t row = find_arc(&data->arcs, other->arcs.from[i], other->arcs.self[i]);
    uint64_t sum = row == GP_NONE ? 0 : data->arcs.calls[row];
    if (!add_count(&sum, other->arcs.calls[i], GP_NO_OFFSET, error)) return false;
    if (row == GP_NONE)
      a->new_arcs++;
    else
      data->arcs.next = row + 1;
  }
  for (size_t i = 0; i < other->blocks.count; i++) {
    uint32_t row =
        gp_hash_find(&data->blocks.index, (gp_key){other->blocks.address[i], 0});
    uint64_t sum = row == GP_NONE ? 0 : data->blocks.executions[row];
    if (!add_count(&sum, other->blocks.executions[i], GP_NO_OFFSET, error)) return false;
    a->new_blocks += row == GP_NONE;
  }
  return true;
}

/* Returns the first position in `by_address` that changes when `new` histograms are added
 * to `count` existing ones. Earlier runs are unchanged, so only the rest must be saved
 * for an undo. */
static size_t first_changed(size_t count, size_t new) {
  size_t first = count;
  for (size_t end = count + 1; end <= count + new; end++)
    if (end - last_run(end) < first) first = end - last_run(end);
  return first;
}

/* Makes all allocations for an addition. On failure, removes the histograms that were
 * added. */
static bool reserve(gp_data *data, const addition *a, gp_error *error) {
  size_t old_count = data->histogram_count;
  size_t first = first_changed(old_count, a->new_histograms), saved = old_count - first;
  uint32_t *by_address = gp_column(saved, sizeof *by_address);
  if (!by_address || !reserve_arcs(&data->arcs, a->new_arcs) ||
      !reserve_blocks(&data->blocks, a->new_blocks)) {
    free(by_address);
    return gp_fail_memory(error);
  }
  if (saved > 0)
    memcpy(by_address, data->by_address + first, saved * sizeof *by_address);
  bool done = true;
  for (size_t i = 0; done && i < a->histograms; i++)
    done = reserve_histogram(data, &a->other->histograms[i], error);
  if (!done) {
    while (data->histogram_count > old_count)
      free(data->histograms[--data->histogram_count].counts);
    if (saved > 0)
      memcpy(data->by_address + first, by_address, saved * sizeof *by_address);
  }
  free(by_address);
  return done;
}

/* Adds the histograms of an addition, for which everything was allocated. */
static bool add_histograms(gp_data *data, const addition *a, size_t old_count,
                           gp_error *error) {
  for (size_t i = 0; i < a->histograms; i++)
    if (!add_reserved(data, &a->other->histograms[i], old_count, error)) return false;
  if (a->histograms > 0) gp_data_take_unit(data, a->other->histograms);
  data->sampled |= a->other->sampled;
  return true;
}

bool gp_data_merge(gp_data *data, const gp_data *other, gp_error *error) {
  addition a = {.other = other};
  size_t old_count = data->histogram_count;
  uint64_t uncounted = data->uncounted;
  if (!add_count(&uncounted, other->uncounted, GP_NO_OFFSET, error) ||
      !can_merge(data, &a, error) ||
      !gp_call_paths_reserve(&data->paths, &other->paths, error) ||
      !reserve(data, &a, error) || !add_histograms(data, &a, old_count, error))
    return false;
  gp_call_paths_merge(&data->paths, &other->paths);
  data->arcs.next = 0;
  for (size_t i = 0; i < other->arcs.count; i++)
    if (!gp_data_add_arc(data, other->arcs.from[i], other->arcs.self[i],
                         other->arcs.calls[i], GP_NO_OFFSET, error))
      return false;
  for (size_t i = 0; i < other->blocks.count; i++)
    if (!gp_data_add_block(data, other->blocks.address[i], other->blocks.executions[i],
                           GP_NO_OFFSET, error))
      return false;
  data->stats.block_records += other->blocks.count > 0;
  data->stats.bytes += other->stats.bytes;
  data->has_arcs = data->has_arcs || other->has_arcs;
  data->shared = data->shared || other->shared;
  data->uncounted = uncounted;
  gp_data_add_full(data, other->full);
  return true;
}

void gp_data_add_full(gp_data *data, gp_full_bins more) {
  if (data->full.count == 0) data->full.address = more.address;
  data->full.count += more.count;
}

gp_range gp_data_covered(const gp_data *data) {
  gp_range range = {UINT64_MAX, 0};
  for (size_t i = 0; i < data->histogram_count; i++) {
    const gp_histogram *h = &data->histograms[i];
    if (h->low < range.low) range.low = h->low;
    if (h->high > range.high) range.high = h->high;
  }
  return range;
}
