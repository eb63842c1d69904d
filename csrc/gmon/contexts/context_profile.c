/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads context profiles. */
#include "gmon/contexts/context_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "gmon/contexts/loaded_modules.h"
#include "gmon/contexts/path_sum.h"

/* The sum of the image's records in a context profile. */
typedef struct image_sum {
  gp_records *r;
  gp_data sum;
  gp_range covered;     /* range of the histogram in gmon.out, as loaded */
  uint32_t rate;        /* 0 if no samples were taken */
  bool is_wall;         /* samples are of wall-clock time */
  gp_loaded_modules modules;    /* several if a library was loaded more than once */
  bool is_program;      /* the image is the program, not a library */
  gp_path_sum paths;
} image_sum;

static bool set_process(void *into, const gp_context_process *process) {
  image_sum *s = into;
  s->covered = process->covered;
  s->rate = process->rate;
  s->sum.paths.known = true;
  s->sum.paths.flags = process->flags;
  s->is_wall = (process->flags & GP_CONTEXT_WALL) != 0;
  return true;
}

/* --- modules ---------------------------------------------------------------- */

/* Returns the data that states the build ID of the image. */
static const gp_data *wanted(const image_sum *s) {
  return s->r->target ? s->r->target : s->r->data;
}

static bool add_module(void *into, const gp_context_module *m, bool is_program) {
  image_sum *s = into;
  const gp_data *data = wanted(s);
  bool is_image = data->build_id_size == 0 ? is_program
                  : m->build_id_size == data->build_id_size &&
                        memcmp(m->build_id, data->build_id, data->build_id_size) == 0;
  if (!is_image) return true;
  if (is_program) s->is_program = true;
  return gp_loaded_modules_add(&s->modules, m, 0, s->r->error);
}

/* Adds an empty histogram to the sum. For the program, it has the range of the histogram
 * in gmon.out; for a library, the range of its code. */
static bool add_histogram(image_sum *s) {
  const gp_loaded_module *m = s->modules.rows;
  gp_range range = s->is_program ? s->covered : m->code;
  uint64_t most = wanted(s)->image_size + GP_MORE_CODE;
  if (range.low < range.high && range.high - range.low > most)
    return gp_fail(s->r->error, "claims code from 0x%" PRIx64 " to 0x%" PRIx64
                   ", more than the image has", range.low, range.high);
  range = (gp_range){range.low - m->bias, range.high - m->bias};
  return gp_path_sum_add_histogram(&s->paths, range, false, s->rate, s->is_wall,
                                   s->r->error);
}

static bool end_modules(void *into) {
  image_sum *s = into;
  if (s->modules.count == 0)
    return gp_fail(s->r->error, "was recorded with another build: no module has the "
                   "build ID of the image");
  return gp_loaded_modules_sort(&s->modules, s->r) && add_histogram(s);
}

/* --- records ---------------------------------------------------------------- */

/* Converts a loaded address to a link-time address of the image. False if the address is
 * in another module. */
static bool in_image(const image_sum *s, uint64_t *address) {
  const gp_loaded_module *m = gp_loaded_modules_find(&s->modules, *address);
  if (m) *address -= m->bias;
  return m != NULL;
}

/* A line of a Lua program is like a basic block. */
static bool add_line(void *into, uint64_t address, uint64_t executions) {
  const image_sum *s = into;
  return gp_data_add_block(s->r->data, address, executions, s->r->offset, s->r->error);
}

/* Threads are summed, so their call paths are joined. */
static bool begin_table(void *into, const gp_context_table *table) {
  image_sum *s = into;
  gp_path_sum_begin(&s->paths);
  return gp_call_paths_add_table(&s->sum.paths, table->signals, table->inside,
                                 s->rate > 0 ? table->cpu : 0, s->r->error);
}

static bool add_record(void *into, const gp_context_record *record) {
  image_sum *s = into;
  gp_path_record r = {.number = record->number, .context = record->context,
                      .from = record->from, .self = record->self,
                      .count = record->count, .samples = s->sum.histograms,
                      .enters = record->entered == record->number};
  if (record->self == 0) {
    r.self = record->from;
    r.on_unknown_stack = record->context == GP_CONTEXT_UNKNOWN_STACK;
    r.inside = in_image(s, &r.self);
    return gp_path_sum_add_sample(&s->paths, &r, s->r->error);
  }
  r.inside = in_image(s, &r.self);
  if (!in_image(s, &r.from)) r.from = gp_unknown_caller(s->r->layout);
  return gp_path_sum_add_call(&s->paths, &r, s->r->error);
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
  return (!s->r->target || gp_data_accepts(s->r->target, histogram, s->sum.sampled,
                                           GP_NO_OFFSET, s->r->error)) &&
         gp_data_add_histogram(data, histogram, s->r->error) && add_arcs(s);
}

bool gp_context_profile_read(gp_records *r) {
  image_sum s = {.r = r};
  const gp_context_sink sink = {&s, set_process, add_module, end_modules, add_line,
                                begin_table, add_record};
  gp_data_init(&s.sum, r->layout);
  s.paths.data = &s.sum;
  bool done = gp_context_file_read(r, &sink) && add_sum(&s) &&
              gp_call_paths_take(&r->data->paths, &s.sum.paths, r->error);
  gp_data_free(&s.sum);
  gp_path_sum_free(&s.paths);
  gp_loaded_modules_free(&s.modules);
  return done;
}
