/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up context profiles. */
#include "gmon/contexts/contexts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gmon/contexts/loaded_modules.h"

/* The maximum size of all modules of a sum together, in bytes. */
#define MAX_MODULE_BYTES (UINT64_C(1) << 62)

/* The state of adding a file. */
typedef struct addition {
  gp_records *r;
  gp_contexts *sum;
  gp_context_process process;
  gp_loaded_modules modules;    /* with their rows in the sum */
  size_t context_count, context_capacity;
  uint32_t *contexts;           /* for each record of the table: its row in the sum if it
                                   stands for a context; otherwise GP_NONE */
  bool joins;                   /* its records can be in the sum already */
} addition;

/* --- the sum's columns -------------------------------------------------------- */

static gp_key module_key(const void *sum, uint32_t row) {
  return ((const gp_contexts *)sum)->modules[row].key;
}

static gp_key table_key(const void *sum, uint32_t row) {
  return ((const gp_contexts *)sum)->tables[row].key;
}

static gp_key place_key(const void *columns, uint32_t row) {
  const gp_contexts_places *places = columns;
  return (gp_key){places->module[row], places->address[row]};
}

static uint64_t pair(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }

/* In keys, the value of `entered` for a record that stands for its own context. The key
 * is needed before the record has a row. */
#define OWN (GP_NONE - 1)

static gp_key record_key(const void *columns, uint32_t row) {
  const gp_contexts_records *records = columns;
  uint32_t entered = records->entered[row] == row ? OWN : records->entered[row];
  return (gp_key){pair(records->context[row], entered),
                  pair(records->from[row], records->self[row])};
}

void gp_contexts_init(gp_contexts *sum, gp_layout layout) {
  memset(sum, 0, sizeof *sum);
  sum->layout = layout;
  gp_hash_init(&sum->module_index, module_key, sum);
  gp_hash_init(&sum->table_index, table_key, sum);
  gp_hash_init(&sum->places.index, place_key, &sum->places);
  gp_hash_init(&sum->records.index, record_key, &sum->records);
}

void gp_contexts_free(gp_contexts *sum) {
  for (size_t i = 0; i < sum->module_count; i++) free(sum->modules[i].path.bytes);
  for (size_t i = 0; i < sum->table_count; i++) free(sum->tables[i].name.bytes);
  free(sum->command.bytes);
  free(sum->executions);
  free(sum->modules);
  free(sum->tables);
  free(sum->places.module);
  free(sum->places.address);
  free(sum->records.context);
  free(sum->records.entered);
  free(sum->records.from);
  free(sum->records.self);
  free(sum->records.counts);
  gp_hash_free(&sum->module_index);
  gp_hash_free(&sum->table_index);
  gp_hash_free(&sum->places.index);
  gp_hash_free(&sum->records.index);
}

/* --- texts -------------------------------------------------------------------- */

static bool copy_text(const addition *a, gp_contexts_text *to, gp_context_text from) {
  unsigned char *bytes = gp_column(from.size, 1);
  if (!bytes) return gp_fail_memory(a->r->error);
  memcpy(bytes, from.bytes, from.size);
  free(to->bytes);
  *to = (gp_contexts_text){bytes, from.size};
  return true;
}

static int compare_texts(gp_contexts_text a, gp_context_text b) {
  uint32_t both = a.size < b.size ? a.size : b.size;
  int order = both > 0 ? memcmp(a.bytes, b.bytes, both) : 0;
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* --- the process -------------------------------------------------------------- */

static void keep_least(uint64_t *number, uint64_t other) {
  if (other < *number) *number = other;
}

static void keep_largest(uint64_t *number, uint64_t other) {
  if (other > *number) *number = other;
}

static bool join_rates(addition *a) {
  uint32_t *rate = &a->sum->process.rate, other = a->process.rate;
  if (*rate != 0 && other != 0 && *rate != other)
    return gp_fail(a->r->error, "was recorded with %" PRIu32 " samples per second, but "
                   "earlier context profiles with %" PRIu32, other, *rate);
  if (*rate == 0) *rate = other;
  return true;
}

static const char *clock_name(const gp_context_process *process) {
  return process->flags & GP_CONTEXT_WALL ? "wall-clock time" : "processor time";
}

/* Parts without samples have any clock. Called before the rates are joined. */
static bool join_clocks(addition *a) {
  gp_context_process *sum = &a->sum->process;
  const gp_context_process *other = &a->process;
  bool differ = ((sum->flags ^ other->flags) & GP_CONTEXT_WALL) != 0;
  if (sum->rate != 0 && other->rate != 0 && differ)
    return gp_fail(a->r->error, "has samples of %s, but earlier context profiles of %s",
                   clock_name(other), clock_name(sum));
  if (sum->rate == 0 && differ) sum->flags ^= GP_CONTEXT_WALL;
  return true;
}

static bool add_process(void *into, const gp_context_process *process) {
  addition *a = into;
  gp_context_process *sum = &a->sum->process;
  a->process = *process;
  gp_contexts_text *command = &a->sum->command;
  if (a->sum->processes == 0) {
    *sum = *process;
    return copy_text(a, command, process->command);
  }
  if (compare_texts(*command, process->command) != 0) command->size = 0;
  keep_least(&sum->begin, process->begin);
  keep_largest(&sum->written, process->written);
  keep_largest(&sum->limit, process->limit);
  keep_largest(&sum->clock_error, process->clock_error);
  sum->flags = gp_join_flags(sum->flags, process->flags);
  return join_clocks(a) && join_rates(a) &&
         gp_context_add(a->r, &sum->lost, process->lost);
}

/* --- modules ------------------------------------------------------------------ */

static gp_range linked(gp_range loaded, uint64_t bias) {
  return (gp_range){loaded.low - bias, loaded.high - bias};
}

static bool same_range(gp_range a, gp_range b) {
  return a.low == b.low && a.high == b.high;
}

/* No file can force equal keys: the ranges go through the seeded hash, too. */
static gp_key key_of_module(const gp_context_module *m) {
  gp_range segments = linked(m->loaded, m->bias), code = linked(m->code, m->bias);
  gp_key name = m->build_id_size > 0
                    ? gp_bytes_key((const char *)m->build_id, m->build_id_size)
                    : gp_bytes_key((const char *)m->path.bytes, m->path.size);
  const uint64_t all[] = {name.first, name.second, segments.low,
                          segments.high, code.low, code.high};
  return gp_bytes_key((const char *)all, sizeof all);
}

static bool is_module(const gp_contexts_module *known, const gp_context_module *m) {
  return same_range(known->segments, linked(m->loaded, m->bias)) &&
         same_range(known->code, linked(m->code, m->bias)) &&
         known->build_id_size == m->build_id_size &&
         (m->build_id_size > 0
              ? memcmp(known->build_id, m->build_id, m->build_id_size) == 0
              : compare_texts(known->path, m->path) == 0);
}

static bool append_module(addition *a, const gp_context_module *m, gp_key key) {
  gp_contexts *sum = a->sum;
  uint64_t size = m->loaded.high - m->loaded.low;
  if (size > MAX_MODULE_BYTES ||
      sum->module_bytes + size + GP_CONTEXTS_GAP > MAX_MODULE_BYTES)
    return gp_fail(a->r->error, "the modules in the section at offset %" PRIu64
                   " are too large", a->r->offset);
  if (!GP_RESERVE(&sum->module_capacity, sum->module_count + 1, GP_COLUMN(sum->modules)))
    return gp_fail_memory(a->r->error);
  gp_contexts_module *new = &sum->modules[sum->module_count];
  *new = (gp_contexts_module){.segments = linked(m->loaded, m->bias),
                              .code = linked(m->code, m->bias),
                              .build_id_size = m->build_id_size, .key = key,
                              .next = GP_NONE};
  memcpy(new->build_id, m->build_id, m->build_id_size);
  if (!copy_text(a, &new->path, m->path)) return false;
  sum->module_bytes += size + GP_CONTEXTS_GAP;
  sum->module_count++;
  return true;
}

/* Finds a module in the sum, or adds it. Sets *row. */
static bool find_module(addition *a, const gp_context_module *m, uint32_t *row) {
  gp_contexts *sum = a->sum;
  gp_key key = key_of_module(m);
  uint32_t first = gp_hash_find(&sum->module_index, key);
  *row = first;
  while (*row != GP_NONE && !is_module(&sum->modules[*row], m))
    *row = sum->modules[*row].next;
  if (*row != GP_NONE) return true;
  if (!append_module(a, m, key)) return false;
  *row = (uint32_t)(sum->module_count - 1);
  if (first == GP_NONE)
    return gp_hash_add(&sum->module_index, *row) || gp_fail_memory(a->r->error);
  sum->modules[*row].next = sum->modules[first].next;
  sum->modules[first].next = *row;
  return true;
}

static bool add_module(void *into, const gp_context_module *m, bool is_program) {
  addition *a = into;
  uint32_t row;
  if (m->build_id_size > sizeof m->build_id)
    return gp_fail(a->r->error, "a module in the section at offset %" PRIu64 " has a "
                   "build ID of %" PRIu32 " bytes: the limit is %zu", a->r->offset,
                   m->build_id_size, sizeof m->build_id);
  if (!find_module(a, m, &row)) return false;
  if (is_program && row != 0)
    return gp_fail(a->r->error, "was recorded with another program, or another build, "
                   "than earlier context profiles");
  gp_contexts_module *known = &a->sum->modules[row];
  known->closed |= m->closed;
  if (compare_texts(known->path, m->path) > 0 && !copy_text(a, &known->path, m->path))
    return false;
  return gp_loaded_modules_add(&a->modules, m, row, a->r->error);
}

/* The histogram of the sum covers the histograms of all processes. An empty one is at
 * address 0. */
static void join_covered(addition *a) {
  gp_range *sum = &a->sum->process.covered;
  gp_range covered = linked(a->process.covered, a->modules.rows[0].bias);
  bool is_empty = covered.low == covered.high;
  if (a->sum->processes == 0) *sum = is_empty ? (gp_range){0, 0} : covered;
  if (is_empty) return;
  if (sum->low == sum->high) *sum = covered;
  keep_least(&sum->low, covered.low);
  keep_largest(&sum->high, covered.high);
}

static bool end_modules(void *into) {
  addition *a = into;
  if (a->modules.count == 0) return gp_fail(a->r->error, "has no modules");
  join_covered(a);
  return gp_loaded_modules_sort(&a->modules, a->r);
}

/* --- lines --------------------------------------------------------------------- */

static bool add_line(void *into, uint64_t address, uint64_t executions) {
  const addition *a = into;
  gp_contexts *sum = a->sum;
  size_t row = (size_t)((address - GP_SCRIPT_LOW) / GP_SCRIPT_LINE);
  if (!GP_RESERVE(&sum->line_capacity, row + 1, GP_COLUMN(sum->executions)))
    return gp_fail_memory(a->r->error);
  while (sum->line_count <= row) sum->executions[sum->line_count++] = 0;
  return gp_context_add(a->r, &sum->executions[row], sum->executions[row] == 0) &&
         gp_context_add(a->r, &sum->executions[row], executions);
}

/* --- tables ------------------------------------------------------------------- */

static bool append_record(addition *a, uint32_t context, uint32_t entered, uint32_t from,
                          uint32_t self) {
  gp_contexts_records *records = &a->sum->records;
  if (!GP_RESERVE(&records->capacity, records->count + 1, GP_COLUMN(records->context),
                  GP_COLUMN(records->entered), GP_COLUMN(records->from),
                  GP_COLUMN(records->self), GP_COLUMN(records->counts)))
    return gp_fail_memory(a->r->error);
  size_t row = records->count++;
  records->context[row] = context;
  records->entered[row] = entered;
  records->from[row] = from;
  records->self[row] = self;
  records->counts[row] = 0;
  return true;
}

static bool append_table(addition *a, const gp_context_table *t, gp_key key) {
  gp_contexts *sum = a->sum;
  if (!GP_RESERVE(&sum->table_capacity, sum->table_count + 1, GP_COLUMN(sum->tables)))
    return gp_fail_memory(a->r->error);
  gp_contexts_table *new = &sum->tables[sum->table_count];
  *new = (gp_contexts_table){.deferred = t->deferred, .thread = t->thread, .key = key,
                             .next = GP_NONE, .root = (uint32_t)sum->records.count};
  if (!copy_text(a, &new->name, t->name)) return false;
  sum->table_count++;
  for (uint32_t i = new->root; i < new->root + GP_CONTEXT_ROOTS; i++)
    if (!append_record(a, i, i, GP_NONE, GP_NONE)) return false;
  return true;
}

/* Finds the table of `t` in the sum, or adds it. Sets *row. */
static bool find_table(addition *a, const gp_context_table *t, uint32_t *row) {
  gp_contexts *sum = a->sum;
  gp_key key = gp_bytes_key((const char *)t->name.bytes, t->name.size);
  key.second = pair(t->deferred, t->thread);
  uint32_t first = gp_hash_find(&sum->table_index, key);
  for (*row = first; *row != GP_NONE; *row = sum->tables[*row].next) {
    const gp_contexts_table *known = &sum->tables[*row];
    if (known->deferred == t->deferred && known->thread == t->thread &&
        compare_texts(known->name, t->name) == 0)
      return true;
  }
  if (!append_table(a, t, key)) return false;
  *row = (uint32_t)(sum->table_count - 1);
  if (first == GP_NONE)
    return gp_hash_add(&sum->table_index, *row) || gp_fail_memory(a->r->error);
  sum->tables[*row].next = sum->tables[first].next;
  sum->tables[first].next = *row;
  return true;
}

/* Sets the context that the next record of the table stands for: a row, or GP_NONE. */
static bool push_context(addition *a, uint32_t row) {
  if (!GP_RESERVE(&a->context_capacity, a->context_count + 1, GP_COLUMN(a->contexts)))
    return gp_fail_memory(a->r->error);
  a->contexts[a->context_count++] = row;
  return true;
}

/* Adds the records that are not in the index yet. */
static bool index_records(addition *a) {
  gp_contexts_records *records = &a->sum->records;
  for (; records->indexed < records->count; records->indexed++)
    if (!gp_hash_add(&records->index, (uint32_t)records->indexed))
      return gp_fail_memory(a->r->error);
  return true;
}

static bool add_table(void *into, const gp_context_table *t) {
  addition *a = into;
  uint32_t row;
  gp_context_table same = *t;
  same.deferred = t->deferred != 0;
  if (!a->sum->by_thread) same.thread = 0;
  size_t count = a->sum->table_count;
  if (!find_table(a, &same, &row)) return false;
  a->joins = !a->sum->by_thread || row < count;
  if (a->joins && !index_records(a)) return false;
  gp_contexts_table *known = &a->sum->tables[row];
  /* A thread has several tables if it makes calls after its end, and one in each run. */
  if (same.thread != 0)
    keep_largest(&known->threads, t->threads);
  else if (known->threads + t->threads > UINT32_MAX)
    return gp_fail(a->r->error, "the sum has too many threads in the section at offset %"
                   PRIu64, a->r->offset);
  else
    known->threads += t->threads;
  a->context_count = 0;
  for (uint32_t i = 0; i < GP_CONTEXT_ROOTS; i++)
    if (!push_context(a, known->root + i)) return false;
  return gp_context_add(a->r, &known->cpu, t->cpu) &&
         gp_context_add(a->r, &known->signals, t->signals) &&
         gp_context_add(a->r, &known->inside, t->inside);
}

/* --- records ------------------------------------------------------------------ */

/* Finds an address of the file in the sum, or adds it. Sets *row. */
static bool find_place(addition *a, uint64_t address, uint32_t *row) {
  gp_contexts_places *places = &a->sum->places;
  uint32_t module_row = GP_NONE;
  const gp_loaded_module *m = gp_loaded_modules_find(&a->modules, address);
  if (m) {
    module_row = m->number;
    address -= m->bias;
  } else if (address >= GP_CONTEXTS_BASE) {
    return gp_fail(a->r->error, "a record in the section at offset %" PRIu64 " has the "
                   "address 0x%" PRIx64 ", where no program has code", a->r->offset,
                   address);
  }
  *row = gp_hash_find(&places->index, (gp_key){module_row, address});
  if (*row != GP_NONE) return true;
  if (!GP_RESERVE(&places->capacity, places->count + 1, GP_COLUMN(places->module),
                  GP_COLUMN(places->address)))
    return gp_fail_memory(a->r->error);
  *row = (uint32_t)places->count++;
  places->module[*row] = module_row;
  places->address[*row] = address;
  return gp_hash_add(&places->index, *row) || gp_fail_memory(a->r->error);
}

/* Returns the row of the context that the table's record `number` stands for; GP_NONE if
 * it does not stand for a context. */
static uint32_t context_of(const addition *a, uint32_t number) {
  return number < a->context_count ? a->contexts[number] : GP_NONE;
}

/* Finds a record in the sum, or adds it. `entered` is OWN if the record stands for its
 * own context. Sets *row. */
static bool enter_record(addition *a, uint32_t context, uint32_t entered, uint32_t from,
                         uint32_t self, uint32_t *row) {
  gp_key key = {pair(context, entered), pair(from, self)};
  *row = a->joins ? gp_hash_find(&a->sum->records.index, key) : GP_NONE;
  if (*row != GP_NONE) return true;
  *row = (uint32_t)a->sum->records.count;
  return append_record(a, context, entered == OWN ? *row : entered, from, self) &&
         (!a->joins || index_records(a));
}

static bool add_record(void *into, const gp_context_record *r) {
  addition *a = into;
  while (a->context_count < r->number)  /* the ignored records between stand for none */
    if (!push_context(a, GP_NONE)) return false;
  bool is_own = r->entered == r->number;
  uint32_t context = context_of(a, r->context), self = GP_NONE, entered = GP_NONE;
  uint32_t from = GP_NONE, row;
  if (r->self != 0) entered = is_own ? OWN : context_of(a, r->entered);
  if (context == GP_NONE || (r->self != 0 && entered == GP_NONE))
    return gp_fail(a->r->error, "record %" PRIu32 " in the section at offset %" PRIu64
                   " refers to a record that is not a context", r->number, a->r->offset);
  return find_place(a, r->from, &from) &&
         (r->self == 0 || find_place(a, r->self, &self)) &&
         enter_record(a, context, entered, from, self, &row) &&
         gp_context_add(a->r, &a->sum->records.counts[row], r->count) &&
         push_context(a, r->self != 0 && is_own ? row : GP_NONE);
}

/* --- files -------------------------------------------------------------------- */

static bool add_totals(gp_contexts *sum, const gp_records *r) {
  const gp_context_counts *counts = &r->kind.contexts;
  return gp_context_add(r, &sum->processes, counts->processes) &&
         gp_context_add(r, &sum->calls, counts->calls) &&
         gp_context_add(r, &sum->ticks, counts->ticks) &&
         gp_context_add(r, &sum->threads, counts->threads);
}

bool gp_contexts_add_from(gp_contexts *sum, gp_reader *reader,
                          gp_context_counts *counts) {
  gp_records r = {.reader = reader, .error = reader->error, .layout = sum->layout,
                  .functions = sum->functions};
  addition a = {.r = &r, .sum = sum};
  const gp_context_sink sink = {&a, add_process, add_module, end_modules, add_line,
                                add_table, add_record};
  bool done = gp_context_file_read(&r, &sink) && add_totals(sum, &r);
  gp_reader_close(reader);
  gp_loaded_modules_free(&a.modules);
  free(a.contexts);
  *counts = r.kind.contexts;
  return done;
}

bool gp_contexts_add(gp_contexts *sum, const char *path, gp_context_counts *counts,
                     gp_error *error) {
  gp_reader reader;
  return gp_reader_open(&reader, path, error) &&
         gp_contexts_add_from(sum, &reader, counts);
}
