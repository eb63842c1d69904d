/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call paths of an image. */
#include "gmon/contexts/call_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"

/* --- pairs ------------------------------------------------------------------ */

static gp_key pair_key(const void *columns, uint32_t row) {
  const gp_pairs *pairs = columns;
  return (gp_key){pairs->first[row], pairs->second[row]};
}

void gp_pairs_init(gp_pairs *pairs) {
  memset(pairs, 0, sizeof *pairs);
  gp_hash_init(&pairs->index, pair_key, pairs);
}

void gp_pairs_free(gp_pairs *pairs) {
  free(pairs->first);
  free(pairs->second);
  free(pairs->amount);
  gp_hash_free(&pairs->index);
  gp_pairs_init(pairs);
}

/* Reserves space for `more` additional pairs. False if there is no memory. */
static bool reserve_pairs(gp_pairs *pairs, size_t more) {
  return GP_RESERVE(&pairs->capacity, pairs->count + more, GP_COLUMN(pairs->first),
                    GP_COLUMN(pairs->second), GP_COLUMN(pairs->amount)) &&
         gp_hash_reserve(&pairs->index, more);
}

uint32_t gp_pairs_row(gp_pairs *pairs, uint64_t first, uint64_t second) {
  uint32_t row = gp_hash_find(&pairs->index, (gp_key){first, second});
  if (row != GP_NONE) return row;
  if (!reserve_pairs(pairs, 1)) return GP_NONE;
  row = (uint32_t)pairs->count++;
  pairs->first[row] = first;
  pairs->second[row] = second;
  pairs->amount[row] = 0;
  gp_hash_add(&pairs->index, row);
  return row;
}

/* --- paths ------------------------------------------------------------------ */

void gp_call_paths_init(gp_call_paths *paths) {
  memset(paths, 0, sizeof *paths);
  gp_pairs_init(&paths->sites);
  gp_pairs_init(&paths->contexts);
  gp_pairs_init(&paths->samples);
  gp_pairs_init(&paths->indirect);
}

void gp_call_paths_free(gp_call_paths *paths) {
  gp_pairs_free(&paths->sites);
  gp_pairs_free(&paths->contexts);
  gp_pairs_free(&paths->samples);
  gp_pairs_free(&paths->indirect);
  free(paths->renumbered);
  gp_call_paths_init(paths);
}

bool gp_call_paths_enter(gp_call_paths *paths, uint32_t parent, uint64_t from,
                         uint64_t self, uint32_t *context, gp_error *error) {
  uint32_t site = gp_pairs_row(&paths->sites, from, self);
  uint32_t row = site == GP_NONE ? GP_NONE : gp_pairs_row(&paths->contexts, parent, site);
  if (row == GP_NONE) return gp_fail_memory(error);
  *context = row + 1;
  return true;
}

/* Adds to a sum of all amounts. No single amount can then overflow. */
static bool add_total(uint64_t *total, uint64_t more, const char *unit, gp_error *error) {
  return gp_count_add(total, more) ||
         gp_fail(error, "has call paths with 2^63 %s or more", unit);
}

bool gp_call_paths_add_calls(gp_call_paths *paths, uint32_t context, uint64_t self,
                             uint64_t calls, bool indirect, gp_error *error) {
  if (!add_total(&paths->calls, calls, "calls", error)) return false;
  if (!indirect || context == GP_ROOT_CONTEXT) return true;
  uint32_t row = gp_pairs_row(&paths->indirect, context, self);
  if (row == GP_NONE) return gp_fail_memory(error);
  paths->indirect.amount[row] += calls;
  return true;
}

bool gp_call_paths_add_ticks(gp_call_paths *paths, uint32_t context, uint64_t address,
                             uint64_t ticks, gp_error *error) {
  if (!add_total(&paths->ticks, ticks, "samples", error)) return false;
  uint32_t row = gp_pairs_row(&paths->samples, context, address);
  if (row == GP_NONE) return gp_fail_memory(error);
  paths->samples.amount[row] += ticks;
  return true;
}

bool gp_call_paths_add_signals(gp_call_paths *paths, uint64_t signals, uint64_t ticks,
                               gp_error *error) {
  return add_total(&paths->signals, signals, "signals", error) &&
         add_total(&paths->signal_ticks, ticks, "samples", error);
}

bool gp_call_paths_add_table(gp_call_paths *paths, uint64_t signals, uint64_t inside,
                             uint64_t cpu, gp_error *error) {
  bool is_wall = (paths->flags & GP_CONTEXT_WALL) != 0;
  return gp_call_paths_add_signals(paths, signals, inside, error) &&
         add_total(&paths->inside, inside, "samples", error) &&
         add_total(&paths->cpu, is_wall ? 0 : cpu, "nanoseconds", error);
}

/* --- sums ------------------------------------------------------------------- */

/* Whether the totals can be added. */
static bool totals_fit(const gp_call_paths *paths, const gp_call_paths *other,
                       gp_error *error) {
  gp_call_paths total = *paths;
  return add_total(&total.ticks, other->ticks, "samples", error) &&
         add_total(&total.calls, other->calls, "calls", error) &&
         add_total(&total.inside, other->inside, "samples", error) &&
         add_total(&total.cpu, other->cpu, "nanoseconds", error) &&
         gp_call_paths_add_signals(&total, other->signals, other->signal_ticks, error);
}

bool gp_call_paths_reserve(gp_call_paths *paths, const gp_call_paths *other,
                           gp_error *error) {
  if (!totals_fit(paths, other, error)) return false;
  return (gp_resize(&paths->renumbered, other->contexts.count + 1,
                    sizeof *paths->renumbered) &&
          reserve_pairs(&paths->sites, other->sites.count) &&
          reserve_pairs(&paths->contexts, other->contexts.count) &&
          reserve_pairs(&paths->samples, other->samples.count) &&
          reserve_pairs(&paths->indirect, other->indirect.count)) ||
         gp_fail_memory(error);
}

/* Adds pairs whose first numbers are contexts of `other`. */
static void add_pairs(gp_pairs *pairs, const gp_pairs *other, const uint32_t *context) {
  for (size_t i = 0; i < other->count; i++) {
    uint32_t row = gp_pairs_row(pairs, context[other->first[i]], other->second[i]);
    pairs->amount[row] += other->amount[i];
  }
}

static void add_totals(gp_call_paths *paths, const gp_call_paths *other) {
  paths->ticks += other->ticks;
  paths->unknown_stack_ticks += other->unknown_stack_ticks;
  paths->calls += other->calls;
  paths->signals += other->signals;
  paths->signal_ticks += other->signal_ticks;
  paths->inside += other->inside;
  paths->cpu += other->cpu;
  paths->flags = gp_join_flags(paths->flags, other->flags);
  paths->known = paths->known || other->known;
}

void gp_call_paths_merge(gp_call_paths *paths, const gp_call_paths *other) {
  uint32_t *context = paths->renumbered;
  context[GP_ROOT_CONTEXT] = GP_ROOT_CONTEXT;
  for (size_t i = 0; i < other->contexts.count; i++) {
    uint64_t site = other->contexts.second[i];
    uint32_t row =
        gp_pairs_row(&paths->sites, other->sites.first[site], other->sites.second[site]);
    context[i + 1] =
        1 + gp_pairs_row(&paths->contexts, context[other->contexts.first[i]], row);
  }
  add_pairs(&paths->samples, &other->samples, context);
  add_pairs(&paths->indirect, &other->indirect, context);
  add_totals(paths, other);
}

static void swap(gp_pairs *a, gp_pairs *b) {
  gp_pairs before = *a;
  *a = *b;
  *b = before;
  a->index.columns = a;
  b->index.columns = b;
}

bool gp_call_paths_take(gp_call_paths *paths, gp_call_paths *other, gp_error *error) {
  if (paths->contexts.count + paths->samples.count + paths->indirect.count != 0) {
    if (!gp_call_paths_reserve(paths, other, error)) return false;
    gp_call_paths_merge(paths, other);
    return true;
  }
  if (!totals_fit(paths, other, error)) return false;
  swap(&paths->sites, &other->sites);
  swap(&paths->contexts, &other->contexts);
  swap(&paths->samples, &other->samples);
  swap(&paths->indirect, &other->indirect);
  add_totals(paths, other);
  return true;
}
