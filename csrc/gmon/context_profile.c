/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads context profiles. */
#include "gmon/context_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "gmon/bins.h"
#include "gmon/context_file.h"
#include "gmon/gmon_format.h"

#define BYTES_PER_BIN 4

/* If no samples were taken, the empty histogram gets this rate. */
#define DEFAULT_RATE 1000

/* Code may be larger than the image's file by at most this many bytes: segments may be
 * aligned to 2 MB, and one without code may be in between. The limit is needed because
 * the claimed range of the code alone determines how much memory the bins take. */
#define MORE_CODE (UINT64_C(1) << 22)

/* The addresses at which the image was loaded. A library that was loaded more than once
 * has several modules. */
typedef struct module {
  gp_range loaded;      /* all segments */
  gp_range code;        /* executable segments */
  uint64_t bias;        /* loaded address minus link-time address */
} module;

/* The sum of the image's records in a context profile. */
typedef struct image_sum {
  gp_records *r;
  gp_data sum;
  gp_range covered;     /* range of the histogram in gmon.out, as loaded */
  uint32_t rate;        /* 0 if no samples were taken */
  bool is_wall;         /* samples are of wall-clock time */
  size_t count, capacity;
  module *modules;      /* sorted and disjoint once all are read */
  bool is_program;      /* the image is the program, not a library */
  size_t known, room;
  uint32_t *context;    /* for the first `known` records of the table: the context in
                           sum.paths that a record stands for */
} image_sum;

static bool set_process(void *into, const gp_context_process *process) {
  image_sum *s = into;
  s->covered = process->covered;
  s->rate = process->rate;
  s->sum.paths.known = true;
  s->sum.paths.joined = (process->flags & GP_CONTEXT_JOINED) != 0;
  s->is_wall = (process->flags & GP_CONTEXT_WALL) != 0;
  return true;
}

/* --- modules ---------------------------------------------------------------- */

/* Returns the data that states the build ID of the image. */
static const gp_data *wanted(const image_sum *s) {
  return s->r->target ? s->r->target : s->r->data;
}

/* Whether a module is the image. */
static bool is_image(const image_sum *s, const gp_context_module *m, bool is_program) {
  const gp_data *data = wanted(s);
  if (data->build_id_size == 0) return is_program;
  return m->build_id_size == data->build_id_size &&
         memcmp(m->build_id, data->build_id, data->build_id_size) == 0;
}

static bool add_module(void *into, const gp_context_module *m, bool is_program) {
  image_sum *s = into;
  if (!is_image(s, m, is_program)) return true;
  if (is_program) s->is_program = true;
  if (!GP_RESERVE(&s->capacity, s->count + 1, GP_COLUMN(s->modules)))
    return gp_fail_memory(s->r->error);
  s->modules[s->count++] = (module){m->loaded, m->code, m->bias};
  return true;
}

static int compare_modules(const void *a, const void *b) {
  uint64_t first = ((const module *)a)->loaded.low;
  uint64_t second = ((const module *)b)->loaded.low;
  return (first > second) - (first < second);
}

static bool sort_modules(image_sum *s) {
  if (s->count == 0)
    return gp_fail(s->r->error, "was recorded with another build: no module has the "
                   "build ID of the image");
  qsort(s->modules, s->count, sizeof *s->modules, compare_modules);
  for (size_t i = 1; i < s->count; i++)
    if (s->modules[i].loaded.low < s->modules[i - 1].loaded.high)
      return gp_fail(s->r->error, "modules in the section at offset %" PRIu64 " overlap",
                     s->r->offset);
  return true;
}

/* Adds an empty histogram to the sum. For the program, it has the range of the histogram
 * in gmon.out; for a library, the range of its code. */
static bool add_histogram(image_sum *s) {
  const module *m = s->modules;
  gp_range range = s->is_program ? s->covered : m->code;
  gp_histogram header = {
      .low = (range.low - m->bias) & ~(uint64_t)(BYTES_PER_BIN - 1),
      .high = (range.high - m->bias + BYTES_PER_BIN - 1) & ~(uint64_t)(BYTES_PER_BIN - 1),
      .rate = s->rate > 0 ? s->rate : DEFAULT_RATE,
      .dimension = BSD_DIMENSION, .abbreviation = BSD_ABBREVIATION, .width = 2};
  if (s->is_wall) memcpy(header.dimension, WALL_DIMENSION, sizeof WALL_DIMENSION);
  bool is_new;
  uint64_t most = wanted(s)->image_size + MORE_CODE;
  if (header.low < header.high && header.high - header.low > most)
    return gp_fail(s->r->error, "claims code from 0x%" PRIx64 " to 0x%" PRIx64
                   ", more than the image has", range.low, range.high);
  header.bins = (size_t)(header.high - header.low) / BYTES_PER_BIN;
  gp_histogram *histogram =
      gp_data_histogram(&s->sum, &header, GP_NO_OFFSET, &is_new, s->r->error);
  if (!histogram) return false;
  histogram->counts = gp_column(header.bins, 2);
  if (!histogram->counts) return gp_fail_memory(s->r->error);
  histogram->bins = header.bins;
  return true;
}

static bool end_modules(void *into) { return sort_modules(into) && add_histogram(into); }

/* --- records ---------------------------------------------------------------- */

static bool ends_before(const void *modules, size_t row, uint64_t address) {
  return ((const module *)modules)[row].loaded.high <= address;
}

/* Converts a loaded address to a link-time address of the image. False if the address is
 * in another module. */
static bool in_image(const image_sum *s, uint64_t *address) {
  size_t i = gp_search(s->modules, 0, s->count, *address, ends_before);
  if (i == s->count || *address < s->modules[i].loaded.low) return false;
  *address -= s->modules[i].bias;
  return true;
}

static bool add_sample(image_sum *s, uint32_t context, uint64_t at, uint64_t ticks) {
  gp_histogram *histogram = s->sum.histograms;
  if (!gp_call_paths_add_signals(&s->sum.paths, 0, ticks, s->r->error)) return false;
  if (ticks == 0 || !in_image(s, &at)) return true;
  if (at < histogram->low || at >= histogram->high) return true;
  return gp_bins_add_one(histogram, (size_t)(at - histogram->low) / BYTES_PER_BIN, ticks,
                         s->r->error) &&
         gp_call_paths_add_ticks(&s->sum.paths, context, at, ticks, s->r->error);
}

/* Sets *context, which is that of the caller, to the context of the callee. It does not
 * change if the callee is outside the image. */
static bool add_call(image_sum *s, const gp_context_record *record, uint32_t *context) {
  uint64_t from = record->from, self = record->self, calls = record->count;
  uint32_t caller = *context;
  if (!in_image(s, &self)) return true;
  bool indirect = !in_image(s, &from);
  if (indirect) from = gp_unknown_caller(s->r->layout);
  if (record->entered == record->number &&
      !gp_call_paths_enter(&s->sum.paths, caller, from, self, context, s->r->error))
    return false;
  return calls == 0 ||
         (gp_call_paths_add_calls(&s->sum.paths, caller, self, calls, indirect,
                                  s->r->error) &&
          gp_data_add_arc(&s->sum, from, self, calls, GP_NO_OFFSET, s->r->error));
}

/* Threads are summed, so their call paths are joined. */
static bool begin_table(void *into, const gp_context_table *table) {
  image_sum *s = into;
  s->known = 0;
  return gp_call_paths_add_signals(&s->sum.paths, table->signals, table->inside,
                                   s->r->error);
}

/* Notes the context of a record. The reader passes on neither roots nor records that must
 * be ignored; no other record is in the context of an ignored one. */
static bool note_context(image_sum *s, uint32_t record, uint32_t context) {
  if (!GP_RESERVE(&s->room, (size_t)record + 1, GP_COLUMN(s->context)))
    return gp_fail_memory(s->r->error);
  while (s->known < record) s->context[s->known++] = GP_ROOT_CONTEXT;
  s->context[s->known++] = context;
  return true;
}

static bool add_record(void *into, const gp_context_record *record) {
  image_sum *s = into;
  uint32_t context =
      record->context < s->known ? s->context[record->context] : GP_ROOT_CONTEXT;
  bool done = record->self == 0
                  ? add_sample(s, context, record->from, record->count)
                  : add_call(s, record, &context);
  return done && note_context(s, record->number, context);
}

/* --- the sum ---------------------------------------------------------------- */

static bool is_arc_before(const void *columns, uint32_t b, uint32_t a) {
  const gp_arcs *arcs = columns;
  if (arcs->from[b] != arcs->from[a]) return arcs->from[b] < arcs->from[a];
  return arcs->self[b] < arcs->self[a];
}

/* Adds the arcs of the sum in the order of gmon.out. */
static bool add_arcs(image_sum *s) {
  const gp_arcs *arcs = &s->sum.arcs;
  uint32_t *rows = gp_identity(arcs->count);
  bool done = rows && gp_sort(rows, arcs->count, is_arc_before, arcs);
  if (!done) gp_fail_memory(s->r->error);
  for (size_t i = 0; done && i < arcs->count; i++)
    done = gp_records_add_arc(s->r, arcs->from[rows[i]], arcs->self[rows[i]],
                              arcs->calls[rows[i]]);
  free(rows);
  return done;
}

static bool add_sum(image_sum *s) {
  gp_data *data = s->r->data;
  const gp_histogram *histogram = s->sum.histograms;
  data->has_arcs = true;
  s->r->offset = 0;
  return (!s->r->target ||
          gp_data_accepts(s->r->target, histogram, GP_NO_OFFSET, s->r->error)) &&
         gp_data_add_histogram(data, histogram, s->r->error) && add_arcs(s);
}

bool gp_context_profile_read(gp_records *r) {
  image_sum s = {.r = r};
  const gp_context_sink sink = {&s, set_process, add_module, end_modules, begin_table,
                                add_record};
  gp_data_init(&s.sum, r->layout);
  bool done = gp_context_file_read(r, &sink) && add_sum(&s) &&
              gp_call_paths_reserve(&r->data->paths, &s.sum.paths, r->error);
  if (done) gp_call_paths_merge(&r->data->paths, &s.sum.paths);
  gp_data_free(&s.sum);
  free(s.context);
  free(s.modules);
  return done;
}
