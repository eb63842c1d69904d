/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the records of a table of call paths to a sum. */
#include "gmon/contexts/path_sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gmon/bins.h"
#include "gmon/gmon_format.h"

#define BYTES_PER_BIN UINT64_C(4)

/* If no samples were taken, the empty histogram gets this rate. Reports of calls need a
 * histogram, too. */
#define DEFAULT_RATE 1000

bool gp_path_sum_add_histogram(gp_path_sum *s, gp_range range, bool single, uint32_t rate,
                               bool is_wall, gp_error *error) {
  gp_histogram header = {
      .low = range.low & ~(BYTES_PER_BIN - 1),
      .high = (range.high + BYTES_PER_BIN - 1) & ~(BYTES_PER_BIN - 1),
      .rate = rate > 0 ? rate : DEFAULT_RATE,
      .dimension = BSD_DIMENSION, .abbreviation = BSD_ABBREVIATION, .width = 2};
  bool is_new;
  if (is_wall) memcpy(header.dimension, WALL_DIMENSION, sizeof WALL_DIMENSION);
  header.bins = single ? 1 : (size_t)((header.high - header.low) / BYTES_PER_BIN);
  gp_histogram *histogram =
      gp_data_histogram(s->data, &header, GP_NO_OFFSET, &is_new, error);
  if (!histogram) return false;
  histogram->counts = gp_column(header.bins, 2);
  if (!histogram->counts) return gp_fail_memory(error);
  histogram->bins = header.bins;
  return true;
}

void gp_path_sum_begin(gp_path_sum *s) { s->known = 0; }

void gp_path_sum_free(gp_path_sum *s) { free(s->context); }

static uint32_t context_of(const gp_path_sum *s, uint32_t number) {
  return number < s->known ? s->context[number] : GP_ROOT_CONTEXT;
}

/* Notes the context of a record. Records that were not added are roots, or no other
 * record is in their context. */
static bool note_context(gp_path_sum *s, uint32_t record, uint32_t context,
                         gp_error *error) {
  if (!GP_RESERVE(&s->room, (size_t)record + 1, GP_COLUMN(s->context)))
    return gp_fail_memory(error);
  while (s->known < record) s->context[s->known++] = GP_ROOT_CONTEXT;
  s->context[s->known++] = context;
  return true;
}

bool gp_path_sum_add_call(gp_path_sum *s, const gp_path_record *r, gp_error *error) {
  gp_data *data = s->data;
  uint32_t caller = context_of(s, r->context), entered = caller;
  bool indirect = r->from == gp_unknown_caller(data->layout);
  bool done = !r->inside || !r->enters ||
              gp_call_paths_enter(&data->paths, caller, r->from, r->self, &entered,
                                  error);
  if (done && r->inside && r->count > 0)
    done = gp_call_paths_add_calls(&data->paths, caller, r->self, r->count, indirect,
                                   error) &&
           gp_data_add_arc(data, r->from, r->self, r->count, GP_NO_OFFSET, error);
  return done && note_context(s, r->number, entered, error);
}

bool gp_path_sum_add_sample(gp_path_sum *s, const gp_path_record *r, gp_error *error) {
  gp_histogram *samples = r->samples;
  uint32_t context = context_of(s, r->context);
  if (!gp_call_paths_add_signals(&s->data->paths, 0, r->count, error)) return false;
  if (r->inside && r->self >= samples->low && r->self < samples->high) {
    uint64_t size = (samples->high - samples->low) / samples->bins;
    if (!gp_bins_add_one(samples, (size_t)((r->self - samples->low) / size), r->count,
                         error) ||
        !gp_call_paths_add_ticks(&s->data->paths, context, r->self, r->count, error))
      return false;
    s->data->sampled |= r->count > 0;
    if (r->on_unknown_stack) s->data->paths.unknown_stack_ticks += r->count;
  }
  return note_context(s, r->number, context, error);
}
