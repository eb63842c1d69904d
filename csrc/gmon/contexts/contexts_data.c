/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes profile data of a sum of context profiles. */
#include "gmon/contexts/contexts_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gmon/contexts/path_sum.h"

typedef struct taking {
  const gp_contexts *sum;
  const gp_contexts_view *view;
  gp_path_sum paths;
  gp_contexts_amount *modules;    /* see gp_contexts_count */
  uint32_t *table;        /* by row of the record: row of its table */
  uint32_t *histogram;    /* by row of the module: row of its histogram, or GP_NONE */
  gp_error *error;
} taking;

/* --- counts ----------------------------------------------------------------- */

/* Sets the table of each record. */
static void find_tables(const gp_contexts *sum, uint32_t *table) {
  const gp_contexts_records *records = &sum->records;
  for (uint32_t t = 0; t < sum->table_count; t++)
    for (uint32_t i = 0; i < GP_CONTEXT_ROOTS; i++) table[sum->tables[t].root + i] = t;
  for (uint32_t i = 0; i < records->count; i++) table[i] = table[records->context[i]];
}

static bool is_root(const gp_contexts_records *records, uint32_t row) {
  return records->context[row] == row;
}

/* Returns the row of the module with the callee or the sample of a record; `module_count`
 * if it is outside all modules. */
static uint32_t module_of(const gp_contexts *sum, uint32_t row) {
  const gp_contexts_records *records = &sum->records;
  uint32_t self = records->self[row];
  uint32_t module = sum->places.module[self == GP_NONE ? records->from[row] : self];
  return module == GP_NONE ? (uint32_t)sum->module_count : module;
}

/* Adds a record. The totals of the sum do not overflow, so neither do these. */
static void add_amount(gp_contexts_amount *amount, const gp_contexts_records *records,
                       uint32_t row) {
  bool is_sample = records->self[row] == GP_NONE;
  *(is_sample ? &amount->ticks : &amount->calls) += records->counts[row];
}

static void count_modules(const gp_contexts *sum, gp_contexts_amount *modules) {
  const gp_contexts_records *records = &sum->records;
  for (uint32_t i = 0; i < records->count; i++)
    if (!is_root(records, i)) add_amount(&modules[module_of(sum, i)], records, i);
}

bool gp_contexts_count(const gp_contexts *sum, const bool *skipped,
                       gp_contexts_amount *modules, gp_contexts_amount *tables,
                       gp_error *error) {
  const gp_contexts_records *records = &sum->records;
  uint32_t *table = gp_column(records->count, sizeof *table);
  if (!table) return gp_fail_memory(error);
  find_tables(sum, table);
  count_modules(sum, modules);
  for (uint32_t i = 0; i < records->count; i++)
    if (!is_root(records, i) && !skipped[module_of(sum, i)])
      add_amount(&tables[table[i]], records, i);
  free(table);
  return true;
}

/* --- histograms ------------------------------------------------------------- */

static bool add_empty(taking *t, gp_range range, bool single) {
  const gp_context_process *process = &t->sum->process;
  return gp_path_sum_add_histogram(&t->paths, range, single, process->rate,
                                   (process->flags & GP_CONTEXT_WALL) != 0, t->error);
}

/* Adds an empty histogram for a module with samples. The program always has one. */
static bool add_histogram(taking *t, uint32_t row) {
  const gp_contexts_module *m = &t->sum->modules[row];
  const gp_contexts_object *object = &t->view->modules[row];
  gp_range range = row == 0 ? t->sum->process.covered
                   : m->code.low < m->code.high ? m->code : m->segments;
  uint64_t most = object->image_size > 0 ? object->image_size + GP_MORE_CODE : 0;
  bool single = range.low < range.high && range.high - range.low > most;
  t->histogram[row] = GP_NONE;
  if (!object->included || (row > 0 && t->modules[row].ticks == 0)) return true;
  t->histogram[row] = (uint32_t)t->paths.data->histogram_count;
  range = (gp_range){range.low + object->slide, range.high + object->slide};
  return add_empty(t, range, single);
}

static bool add_histograms(taking *t) {
  uint32_t count = (uint32_t)t->sum->module_count;
  uint64_t address = t->view->address;
  for (uint32_t m = 0; m < count; m++)
    if (!add_histogram(t, m)) return false;
  t->histogram[count] = GP_NONE;
  if (!t->view->outside || t->modules[count].ticks == 0) return true;
  t->histogram[count] = (uint32_t)t->paths.data->histogram_count;
  return add_empty(t, (gp_range){address, address + 1}, true);
}

/* --- records ---------------------------------------------------------------- */

/* Converts a place to an address in the data. False if it is left out. */
static bool move(const taking *t, uint32_t place, uint64_t *address) {
  uint32_t module = t->sum->places.module[place];
  *address = t->view->address;
  if (module == GP_NONE) return t->view->outside;
  *address = t->sum->places.address[place] + t->view->modules[module].slide;
  return t->view->modules[module].included;
}

static bool add_call(taking *t, uint32_t row, gp_path_record *r) {
  const gp_contexts_records *records = &t->sum->records;
  uint32_t from = records->from[row], self = records->self[row];
  bool first = is_root(records, records->context[row]) &&
               t->sum->places.module[from] != t->sum->places.module[self];
  r->enters = records->entered[row] == row;
  r->inside = move(t, self, &r->self);
  if (!move(t, from, &r->from) || first)
    r->from = gp_unknown_caller(t->sum->layout);
  return gp_path_sum_add_call(&t->paths, r, t->error);
}

static bool add_records(taking *t) {
  const gp_contexts_records *records = &t->sum->records;
  const bool *tables = t->view->tables;
  gp_path_sum_begin(&t->paths);
  for (uint32_t i = 0; i < records->count; i++) {
    if (is_root(records, i) || (tables && !tables[t->table[i]])) continue;
    gp_path_record r = {.number = i, .context = records->context[i],
                        .count = records->counts[i]};
    if (records->self[i] != GP_NONE) {
      if (!add_call(t, i, &r)) return false;
      continue;
    }
    uint32_t histogram = t->histogram[module_of(t->sum, i)];
    r.on_unknown_stack =
        r.context == t->sum->tables[t->table[i]].root + GP_CONTEXT_UNKNOWN_STACK;
    r.inside = move(t, records->from[i], &r.self) && histogram != GP_NONE;
    if (r.inside) r.samples = &t->paths.data->histograms[histogram];
    if (!gp_path_sum_add_sample(&t->paths, &r, t->error)) return false;
  }
  return true;
}

/* Adds the signals of all tables that are included. */
static bool add_signals(taking *t) {
  for (uint32_t i = 0; i < t->sum->table_count; i++) {
    const gp_contexts_table *from = &t->sum->tables[i];
    if (t->view->tables && !t->view->tables[i]) continue;
    if (!gp_call_paths_add_table(&t->paths.data->paths, from->signals, from->inside,
                                 t->sum->process.rate > 0 ? from->cpu : 0, t->error))
      return false;
  }
  return true;
}

static bool allocate(taking *t) {
  const gp_contexts *sum = t->sum;
  t->modules = gp_column(sum->module_count + 1, sizeof *t->modules);
  t->table = gp_column(sum->records.count, sizeof *t->table);
  t->histogram = gp_column(sum->module_count + 1, sizeof *t->histogram);
  return (t->modules && t->table && t->histogram) || gp_fail_memory(t->error);
}

bool gp_contexts_get(const gp_contexts *sum, const gp_contexts_view *view, gp_data *data,
                     gp_error *error) {
  taking t = {.sum = sum, .view = view, .paths = {.data = data}, .error = error};
  bool done = allocate(&t);
  if (done) {
    find_tables(sum, t.table);
    count_modules(sum, t.modules);
    data->paths.known = data->has_arcs = true;
    data->paths.flags = sum->process.flags;
    done = add_histograms(&t) && add_signals(&t) && add_records(&t);
  }
  gp_path_sum_free(&t.paths);
  free(t.modules);
  free(t.table);
  free(t.histogram);
  return done;
}
