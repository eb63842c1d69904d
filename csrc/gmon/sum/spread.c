/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The spread of a sum: how runs differ. */
#include "gmon/sum/spread.h"

#include <inttypes.h>
#include <math.h>

#include "base/array.h"
#include "base/count.h"
#include "base/crc32.h"
#include "base/search.h"

/* --- numbers of 128 bits ------------------------------------------------------- */

gp_wide gp_wide_product(uint64_t a, uint64_t b) {
  uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
  uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1;
  other += middle & UINT32_MAX;
  return (gp_wide){a1 * b1 + (middle >> 32) + (other >> 32),
                   other << 32 | (low & UINT32_MAX)};
}

gp_wide gp_wide_square(uint64_t number) { return gp_wide_product(number, number); }

static gp_wide add_wide(gp_wide a, gp_wide b) {
  uint64_t low = a.low + b.low;
  return (gp_wide){a.high + b.high + (low < a.low), low};
}

double gp_amounts_deviation(const gp_amounts *amounts, uint64_t runs) {
  /* runs * squares - sum * sum, in three words */
  gp_wide low = gp_wide_product(amounts->squares.low, runs);
  gp_wide high = gp_wide_product(amounts->squares.high, runs);
  gp_wide upper = add_wide((gp_wide){high.high, high.low}, (gp_wide){0, low.high});
  gp_wide square = gp_wide_square(amounts->sum);
  uint64_t word = low.low - square.low, borrow = low.low < square.low;
  uint64_t middle = upper.low - square.high, carry = upper.low < square.high;
  carry += middle < borrow;
  middle -= borrow;
  if (upper.high < carry) return 0;  /* a damaged file: no values have these squares */
  double variance = ldexp((double)(upper.high - carry), 128) +
                    ldexp((double)middle, 64) + (double)word;
  return sqrt(variance) / (double)runs;
}

/* --- names of runs ------------------------------------------------------------- */

/* Returns a free row of the table of names, which stays free. */
static uint32_t free_name(gp_spread *spread) {
  if (spread->first_free != GP_NONE) return spread->first_free;
  if (!GP_RESERVE(&spread->name_capacity, spread->name_count + 1,
                  GP_COLUMN(spread->names)))
    return GP_NONE;
  spread->names[spread->name_count] = (gp_run_name){.next_free = GP_NONE};
  return spread->first_free = (uint32_t)spread->name_count++;
}

uint32_t gp_spread_name(gp_spread *spread, const char *text, size_t size) {
  size_t cut = size > GP_RUN_NAME_MAX ? size - GP_RUN_NAME_MAX : 0;
  uint32_t row = free_name(spread);
  char *copy = row == GP_NONE ? NULL : malloc(size - cut + 1);
  if (!copy) return GP_NONE;
  memcpy(copy, text + cut, size - cut);
  copy[size - cut] = '\0';
  spread->first_free = spread->names[row].next_free;
  spread->names[row] =
      (gp_run_name){.text = copy, .size = (uint32_t)(size - cut), .next_free = GP_NONE};
  return row;
}

static void drop_if_unused(gp_spread *spread, uint32_t row) {
  if (row == GP_NONE || spread->names[row].uses > 0) return;
  free(spread->names[row].text);
  spread->names[row] = (gp_run_name){.next_free = spread->first_free};
  spread->first_free = row;
}

/* Makes an amount refer to another name. */
static void set_name(gp_spread *spread, gp_amounts *amounts, uint32_t name) {
  uint32_t old = amounts->who;
  if (name != GP_NONE) spread->names[name].uses++;
  amounts->who = name;
  if (old == GP_NONE) return;
  spread->names[old].uses--;
  drop_if_unused(spread, old);
}

/* --- times ---------------------------------------------------------------------- */

void gp_time_scale_reduce(gp_time_scale *scale) {
  uint64_t a = scale->units, b = scale->bins;
  while (b > 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  scale->units /= a;
  scale->bins /= a;
}

/* --- the spread ---------------------------------------------------------------- */

static uint32_t checksum(const uint64_t *address, size_t count) {
  gp_crc32 crc;
  gp_crc32_init(&crc);
  for (size_t i = 0; i < count; i++) {
    unsigned char bytes[8];
    gp_put_u64(bytes, address[i], (gp_layout){.pointer_size = 8});
    gp_crc32_add(&crc, bytes, sizeof bytes);
  }
  return gp_crc32_value(&crc);
}

static gp_amounts *empty_amounts(size_t count) {
  gp_amounts *amounts = gp_column(count, sizeof *amounts);
  for (size_t i = 0; amounts && i < count; i++) amounts[i].who = GP_NONE;
  return amounts;
}

bool gp_spread_init(gp_spread *spread, const uint64_t *address, size_t count,
                    gp_error *error) {
  memset(spread, 0, sizeof *spread);
  spread->address = gp_column(count, sizeof *address);
  spread->count = (uint32_t)count;
  spread->checksum = checksum(address, count);
  spread->ticks.who = spread->all_calls.who = GP_NONE;
  spread->first_free = spread->accepted = GP_NONE;
  spread->time = empty_amounts(count);
  spread->calls = empty_amounts(count);
  if (!spread->address || !spread->time || !spread->calls) return gp_fail_memory(error);
  memcpy(spread->address, address, count * sizeof *address);
  return true;
}

void gp_spread_free(gp_spread *spread) {
  for (size_t i = 0; i < spread->name_count; i++) free(spread->names[i].text);
  free(spread->names);
  free(spread->address);
  free(spread->time);
  free(spread->calls);
  memset(spread, 0, sizeof *spread);
}

static bool is_before(const void *addresses, size_t row, uint64_t address) {
  return ((const uint64_t *)addresses)[row] < address;
}

uint32_t gp_spread_row(const gp_spread *spread, uint64_t address) {
  size_t row = gp_search(spread->address, 0, spread->count, address, is_before);
  return row < spread->count && spread->address[row] == address ? (uint32_t)row : GP_NONE;
}

bool gp_spread_skip(gp_spread *spread, uint64_t profiles, gp_error *error) {
  return gp_count_add(&spread->skipped, profiles) ||
         gp_fail(error, "the number of profiles exceeds 63 bits");
}

/* --- what can be added --------------------------------------------------------- */

static bool has_scale(const gp_time_scale *scale) { return scale->bins > 0; }

static bool check_scale(const gp_spread *spread, const gp_time_scale *scale,
                        gp_error *error) {
  const gp_time_scale *own = &spread->scale;
  if (!has_scale(own) || !has_scale(scale)) return true;
  if (own->units != scale->units || own->bins != scale->bins)
    return gp_fail(error, "its bins have %g bytes, but those of earlier runs have %g",
                   2 * (double)scale->units / (double)scale->bins,
                   2 * (double)own->units / (double)own->bins);
  return (own->rate == scale->rate && own->abbreviation == scale->abbreviation &&
          strcmp(own->dimension, scale->dimension) == 0) ||
         gp_fail(error, "its rate of samples, or their unit, is not that of earlier "
                 "runs");
}

/* Whether the sum of two amounts fits in 63 bits. */
static bool fits(uint64_t sum, uint64_t more) { return more <= INT64_MAX - sum; }

static bool fail_sum(gp_error *error) {
  return gp_fail(error, "the time or the calls of a function in all runs exceed 63 bits");
}

/* Whether a run has the most of anything. If not, its name is not needed. */
static bool leads(const gp_spread *spread, const gp_run *run) {
  bool found = run->ticks > spread->ticks.most || run->calls > spread->all_calls.most;
  for (size_t i = 0; !found && i < run->count; i++) {
    uint32_t row = run->function[i];
    found = run->time_of[row] > spread->time[row].most ||
            run->calls_of[row] > spread->calls[row].most;
  }
  return found;
}

static void forget_accepted(gp_spread *spread) {
  drop_if_unused(spread, spread->accepted);
  spread->accepted = GP_NONE;
}

bool gp_spread_accepts(gp_spread *spread, const gp_run *run, const char *name,
                       gp_error *error) {
  if (run->ticks > 0 && !check_scale(spread, &run->scale, error)) return false;
  bool done = fits(spread->runs, 1) && fits(spread->ticks.sum, run->ticks) &&
              fits(spread->all_calls.sum, run->calls);
  for (size_t i = 0; done && i < run->count; i++) {
    uint32_t row = run->function[i];
    done = fits(spread->time[row].sum, run->time_of[row]) &&
           fits(spread->calls[row].sum, run->calls_of[row]);
  }
  if (!done) return fail_sum(error);
  forget_accepted(spread);
  if (!leads(spread, run)) return true;
  spread->accepted = gp_spread_name(spread, name, strlen(name));
  return spread->accepted != GP_NONE || gp_fail_memory(error);
}

static bool fits_amounts(const gp_amounts *a, const gp_amounts *b) {
  return fits(a->sum, b->sum) && fits(a->runs, b->runs);
}

bool gp_spread_is_of(const gp_spread *spread, const gp_spread *other, gp_error *error) {
  if (spread->build_id_size > 0 && other->build_id_size > 0 &&
      (spread->build_id_size != other->build_id_size ||
       memcmp(spread->build_id, other->build_id, spread->build_id_size) != 0))
    return gp_fail(error, "is from another build of the program");
  return (spread->count == other->count && spread->checksum == other->checksum) ||
         gp_fail(error, "was made with other symbols of the program: is it stripped, or "
                 "its debugging file missing?");
}

bool gp_spread_fits(const gp_spread *spread, const gp_spread *other, gp_error *error) {
  if (!gp_spread_is_of(spread, other, error) ||
      !check_scale(spread, &other->scale, error))
    return false;
  bool done = fits(spread->runs, other->runs) && fits(spread->skipped, other->skipped) &&
              fits_amounts(&spread->ticks, &other->ticks) &&
              fits_amounts(&spread->all_calls, &other->all_calls);
  for (uint32_t i = 0; done && i < spread->count; i++)
    done = fits_amounts(&spread->time[i], &other->time[i]) &&
           fits_amounts(&spread->calls[i], &other->calls[i]);
  return done || fail_sum(error);
}

/* --- adding -------------------------------------------------------------------- */

/* Adds amounts, of which `name` has the most. Everything was checked. */
static void add_amounts(gp_spread *spread, gp_amounts *sum, const gp_amounts *more,
                        uint32_t name) {
  if (more->runs == 0) return;
  if (sum->runs == 0 || more->least < sum->least) sum->least = more->least;
  sum->runs += more->runs;
  sum->sum += more->sum;
  sum->squares = add_wide(sum->squares, more->squares);
  if (more->most <= sum->most) return;
  sum->most = more->most;
  set_name(spread, sum, name);
}

static void add_value(gp_spread *spread, gp_amounts *sum, uint64_t value, uint32_t name) {
  if (value == 0) return;
  gp_amounts one = {1, value, value, value, gp_wide_square(value), name};
  add_amounts(spread, sum, &one, name);
}

static void take_scale(gp_spread *spread, const gp_time_scale *scale) {
  if (!has_scale(&spread->scale)) spread->scale = *scale;
}

void gp_spread_add(gp_spread *spread, const gp_run *run) {
  uint32_t name = spread->accepted;
  if (run->ticks > 0) take_scale(spread, &run->scale);
  spread->runs++;
  add_value(spread, &spread->ticks, run->ticks, name);
  add_value(spread, &spread->all_calls, run->calls, name);
  for (size_t i = 0; i < run->count; i++) {
    uint32_t row = run->function[i];
    add_value(spread, &spread->time[row], run->time_of[row], name);
    add_value(spread, &spread->calls[row], run->calls_of[row], name);
  }
  forget_accepted(spread);
}

/* Copies the names of `other`. Returns their rows, indexed by the rows of `other`; NULL
 * if there is no memory. */
static uint32_t *copy_names(gp_spread *spread, const gp_spread *other) {
  uint32_t *rows = gp_column(other->name_count, sizeof *rows);
  for (size_t i = 0; rows && i < other->name_count; i++) {
    const gp_run_name *name = &other->names[i];
    rows[i] = name->text ? gp_spread_name(spread, name->text, name->size) : GP_NONE;
    if (!name->text || rows[i] != GP_NONE) continue;
    while (i-- > 0) drop_if_unused(spread, rows[i]);
    free(rows);
    return NULL;
  }
  return rows;
}

/* Adds amounts of another spread; `names` has the rows of its names. */
static void merge_amounts(gp_spread *spread, gp_amounts *sum, const gp_amounts *more,
                          const uint32_t *names) {
  add_amounts(spread, sum, more, more->who == GP_NONE ? GP_NONE : names[more->who]);
}

bool gp_spread_merge(gp_spread *spread, const gp_spread *other, gp_error *error) {
  if (!gp_spread_fits(spread, other, error)) return false;
  uint32_t *names = copy_names(spread, other);
  if (!names) return gp_fail_memory(error);
  take_scale(spread, &other->scale);
  spread->runs += other->runs;
  spread->skipped += other->skipped;
  merge_amounts(spread, &spread->ticks, &other->ticks, names);
  merge_amounts(spread, &spread->all_calls, &other->all_calls, names);
  for (uint32_t i = 0; i < spread->count; i++) {
    merge_amounts(spread, &spread->time[i], &other->time[i], names);
    merge_amounts(spread, &spread->calls[i], &other->calls[i], names);
  }
  for (size_t i = 0; i < other->name_count; i++) drop_if_unused(spread, names[i]);
  free(names);
  return true;
}
