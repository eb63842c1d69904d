/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a sum of context profiles, in an order that depends on its contents only. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/crc32.h"
#include "base/sort.h"
#include "gmon/contexts/contexts.h"

#define PAGE UINT64_C(0x1000)

/* The sum, and the order and the numbering of its parts in the file. */
typedef struct arrangement {
  const gp_contexts *sum;
  uint32_t *modules;      /* rows in the order of the file */
  uint64_t *bias;         /* by row of the module */
  uint64_t *places;       /* addresses in the file, by row of the place */
  uint32_t *tables;       /* rows in the order of the file */
  uint32_t *position;     /* by row of the table: its place in that order */
  uint32_t *table_of;     /* by row of the record: row of its table */
  uint32_t *rank;         /* by row of the record: see rank_records */
  uint32_t *number;       /* by row of the record: its number in its table */
  uint32_t *rows;         /* rows of records by rank; finally by table and number */
  uint32_t *sizes;        /* number of records in each table, by row of the table */
} arrangement;

static void free_arrangement(arrangement *a) {
  free(a->modules);
  free(a->bias);
  free(a->places);
  free(a->tables);
  free(a->position);
  free(a->table_of);
  free(a->rank);
  free(a->number);
  free(a->rows);
  free(a->sizes);
}

static bool allocate(arrangement *a) {
  const gp_contexts *sum = a->sum;
  size_t records = sum->records.count;
  a->modules = gp_identity(sum->module_count);
  a->bias = gp_column(sum->module_count, sizeof *a->bias);
  a->places = gp_column(sum->places.count, sizeof *a->places);
  a->tables = gp_identity(sum->table_count);
  a->position = gp_column(sum->table_count, sizeof *a->position);
  a->sizes = gp_column(sum->table_count, sizeof *a->sizes);
  a->table_of = gp_column(records, sizeof *a->table_of);
  a->rank = gp_column(records, sizeof *a->rank);
  a->number = gp_column(records, sizeof *a->number);
  a->rows = gp_column(records, sizeof *a->rows);
  return a->modules && a->bias && a->places && a->tables && a->position && a->sizes &&
         a->table_of && a->rank && a->number && a->rows;
}

/* --- order of modules and tables ------------------------------------------------- */

/* Compares two numbers as memcmp compares bytes. */
static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_bytes(const unsigned char *a, uint32_t a_size, const unsigned char *b,
                         uint32_t b_size) {
  uint32_t both = a_size < b_size ? a_size : b_size;
  int order = both > 0 ? memcmp(a, b, both) : 0;
  return order != 0 ? order : compare(a_size, b_size);
}

static int compare_ranges(gp_range a, gp_range b) {
  return a.low != b.low ? compare(a.low, b.low) : compare(a.high, b.high);
}

/* The program comes first. Libraries are sorted by build ID, path and ranges. */
static bool is_module_before(const void *context, uint32_t b, uint32_t a) {
  const gp_contexts *sum = ((const arrangement *)context)->sum;
  const gp_contexts_module *one = &sum->modules[b], *other = &sum->modules[a];
  if (a == 0 || b == 0) return b == 0 && a != 0;
  int order = compare_bytes(one->build_id, one->build_id_size, other->build_id,
                            other->build_id_size);
  if (order == 0)
    order = compare_bytes(one->path.bytes, one->path.size, other->path.bytes,
                          other->path.size);
  if (order == 0) order = compare_ranges(one->segments, other->segments);
  if (order == 0) order = compare_ranges(one->code, other->code);
  return order < 0;
}

/* Tables are sorted by name; those of signal handlers come last. */
static bool is_table_before(const void *context, uint32_t b, uint32_t a) {
  const gp_contexts *sum = ((const arrangement *)context)->sum;
  const gp_contexts_table *one = &sum->tables[b], *other = &sum->tables[a];
  if (one->deferred != other->deferred) return one->deferred < other->deferred;
  return compare_bytes(one->name.bytes, one->name.size, other->name.bytes,
                       other->name.size) < 0;
}

/* Gives each module its own range of addresses. Modules move by whole pages. */
static void place_modules(arrangement *a) {
  uint64_t next = GP_CONTEXTS_BASE;
  for (size_t i = 0; i < a->sum->module_count; i++) {
    gp_range segments = a->sum->modules[a->modules[i]].segments;
    uint64_t low = next + segments.low % PAGE;
    a->bias[a->modules[i]] = low - segments.low;
    next = (low + (segments.high - segments.low) + 2 * PAGE - 1) & ~(PAGE - 1);
  }
}

static void place_addresses(arrangement *a) {
  const gp_contexts_places *places = &a->sum->places;
  for (size_t i = 0; i < places->count; i++) {
    uint32_t module = places->module[i];
    a->places[i] = places->address[i] + (module == GP_NONE ? 0 : a->bias[module]);
  }
}

/* --- order of records -------------------------------------------------------- */

/* A root has rank 0. The rank of any other record is one more than the higher rank of the
 * records that its `context` and `entered` name. So records can be sorted rank by rank,
 * comparing the numbers of the records that they refer to. Returns the highest rank. */
static uint32_t rank_records(arrangement *a) {
  const gp_contexts_records *records = &a->sum->records;
  uint32_t highest = 0;
  for (uint32_t t = 0; t < a->sum->table_count; t++)
    for (uint32_t i = 0; i < GP_CONTEXT_ROOTS; i++)
      a->table_of[a->sum->tables[t].root + i] = t;
  for (uint32_t i = 0; i < records->count; i++) {
    uint32_t context = records->context[i], entered = records->entered[i];
    if (context == i) continue;
    a->table_of[i] = a->table_of[context];
    a->rank[i] = a->rank[context] + 1;
    if (entered != i && entered != GP_NONE && a->rank[entered] >= a->rank[i])
      a->rank[i] = a->rank[entered] + 1;
    if (a->rank[i] > highest) highest = a->rank[i];
  }
  return highest;
}

static bool is_record_before(const void *context, uint32_t b, uint32_t a) {
  const arrangement *all = context;
  const gp_contexts_records *records = &all->sum->records;
  uint64_t keys[2][5];
  for (int i = 0; i < 2; i++) {
    uint32_t row = i == 0 ? b : a, self = records->self[row];
    uint32_t entered = records->entered[row];
    bool is_own = entered == row || self == GP_NONE;
    keys[i][0] = all->position[all->table_of[row]];
    keys[i][1] = all->number[records->context[row]];
    keys[i][2] = self == GP_NONE ? 0 : all->places[self];
    keys[i][3] = all->places[records->from[row]];
    keys[i][4] = is_own ? 0 : 1 + (uint64_t)all->number[entered];
  }
  for (int i = 0; i < 5; i++)
    if (keys[0][i] != keys[1][i]) return keys[0][i] < keys[1][i];
  return false;
}

/* Numbers the records of each table, rank by rank. `ends` has the end of each rank. */
static bool number_records(arrangement *a, const uint32_t *ends, uint32_t highest) {
  for (uint32_t rank = 0, i = 0; rank <= highest; rank++) {
    if (rank > 0 && !gp_sort(a->rows + i, ends[rank] - i, is_record_before, a))
      return false;
    for (; i < ends[rank]; i++)
      a->number[a->rows[i]] = a->sizes[a->table_of[a->rows[i]]]++;
  }
  return true;
}

/* Sorts the rows by table and number. */
static bool sort_by_number(arrangement *a) {
  const gp_contexts *sum = a->sum;
  uint32_t *begin = gp_column(sum->table_count, sizeof *begin), next = 0;
  if (!begin) return false;
  for (uint32_t i = 0; i < sum->table_count; next += a->sizes[a->tables[i++]])
    begin[a->tables[i]] = next;
  for (uint32_t i = 0; i < sum->records.count; i++)
    a->rows[begin[a->table_of[i]] + a->number[i]] = i;
  free(begin);
  return true;
}

static bool arrange_records(arrangement *a) {
  uint32_t highest = rank_records(a);
  uint32_t *ends = gp_column((size_t)highest + 2, sizeof *ends);
  if (!ends) return false;
  /* Sorts the rows by rank. Then ends[rank] is the end of each rank. */
  uint32_t count = (uint32_t)a->sum->records.count;
  for (uint32_t i = 0; i < count; i++) ends[a->rank[i] + 1]++;
  for (uint32_t i = 0; i <= highest; i++) ends[i + 1] += ends[i];
  for (uint32_t i = 0; i < count; i++) a->rows[ends[a->rank[i]]++] = i;
  bool done = number_records(a, ends, highest);
  free(ends);
  return done && sort_by_number(a);
}

static bool arrange(arrangement *a) {
  const gp_contexts *sum = a->sum;
  if (!allocate(a) || !gp_sort(a->modules, sum->module_count, is_module_before, a) ||
      !gp_sort(a->tables, sum->table_count, is_table_before, a))
    return false;
  for (uint32_t i = 0; i < sum->table_count; i++) a->position[a->tables[i]] = i;
  place_modules(a);
  place_addresses(a);
  return arrange_records(a);
}

/* --- bytes ----------------------------------------------------------------- */

/* The file. After a failure, further bytes are dropped. */
typedef struct output {
  gp_writer *writer;
  gp_layout layout;
  gp_crc32 crc;
  bool failed;
} output;

static void put(output *o, const void *bytes, size_t size) {
  const unsigned char *from = bytes;
  while (size > 0 && !o->failed) {
    size_t now = size < GP_WRITER_WINDOW ? size : GP_WRITER_WINDOW;
    unsigned char *room = gp_writer_room(o->writer, now);
    o->failed = room == NULL;
    if (!room) return;
    memcpy(room, from, now);
    gp_crc32_add(&o->crc, from, now);
    from += now;
    size -= now;
  }
}

static void put_u32(output *o, uint32_t number) {
  unsigned char bytes[4];
  gp_put_u32(bytes, number, o->layout);
  put(o, bytes, sizeof bytes);
}

static void put_u64(output *o, uint64_t number) {
  unsigned char bytes[8];
  gp_put_u64(bytes, number, o->layout);
  put(o, bytes, sizeof bytes);
}

static void put_text(output *o, const void *bytes, uint32_t size) {
  put_u32(o, size);
  put(o, bytes, size);
}

static void put_section(output *o, uint32_t kind, uint64_t size) {
  put_u32(o, kind);
  put_u64(o, size);
}

/* --- sections ---------------------------------------------------------------- */

static void put_header(output *o) {
  unsigned char bytes[8];
  put(o, GP_CONTEXT_MAGIC, strlen(GP_CONTEXT_MAGIC));
  gp_put_u32(bytes, GP_CONTEXT_BYTE_ORDER, o->layout);
  gp_put_u16(bytes + 4, GP_CONTEXT_VERSION, o->layout);
  gp_put_u16(bytes + 6, (uint16_t)o->layout.pointer_size, o->layout);
  put(o, bytes, sizeof bytes);
}

/* A sum has no process number. */
static void put_process(output *o, const arrangement *a) {
  const gp_context_process *p = &a->sum->process;
  put_section(o, GP_CONTEXT_PROCESS,
              GP_CONTEXT_PROCESS_SIZE + 4 + a->sum->command.size);
  put_u64(o, 0);
  put_u64(o, 0);
  put_u64(o, p->begin);
  put_u64(o, p->written);
  put_u64(o, p->limit);
  put_u64(o, p->lost);
  put_u64(o, p->clock_error);
  put_u64(o, p->covered.low + a->bias[0]);
  put_u64(o, p->covered.high + a->bias[0]);
  put_u32(o, p->rate);
  put_u32(o, p->flags);
  put_text(o, a->sum->command.bytes, a->sum->command.size);
  put_section(o, GP_CONTEXT_SUM, 8);
  put_u64(o, a->sum->processes);
}

static void put_range(output *o, gp_range range, uint64_t bias) {
  put_u64(o, range.low + bias);
  put_u64(o, range.high + bias);
}

static void put_modules(output *o, const arrangement *a) {
  const gp_contexts *sum = a->sum;
  uint64_t size = 4;
  for (size_t i = 0; i < sum->module_count; i++)
    size += GP_CONTEXT_MODULE_SIZE + 8 + (uint64_t)sum->modules[i].build_id_size +
            sum->modules[i].path.size;
  put_section(o, GP_CONTEXT_MODULES, size);
  put_u32(o, (uint32_t)sum->module_count);
  for (size_t i = 0; i < sum->module_count; i++) {
    const gp_contexts_module *m = &sum->modules[a->modules[i]];
    uint64_t bias = a->bias[a->modules[i]];
    put_u64(o, bias);
    put_range(o, m->segments, bias);
    put_range(o, m->code, bias);
    put_u32(o, m->closed);
    put_text(o, m->build_id, m->build_id_size);
    put_text(o, m->path.bytes, m->path.size);
  }
}

/* Writes the lines of a Lua program whose executions were counted. */
static void put_lines(output *o, const gp_contexts *sum) {
  uint64_t count = 0;
  for (size_t i = 0; i < sum->line_count; i++) count += sum->executions[i] > 0;
  if (count == 0) return;
  put_section(o, GP_CONTEXT_LINES, count * GP_CONTEXT_LINE_SIZE);
  for (size_t i = 0; i < sum->line_count; i++) {
    if (sum->executions[i] == 0) continue;
    put_u32(o, (uint32_t)i);
    put_u64(o, sum->executions[i] - 1);
  }
}

static void put_record(output *o, const arrangement *a, uint32_t row) {
  const gp_contexts_records *records = &a->sum->records;
  uint32_t entered = records->entered[row], from = records->from[row];
  uint32_t self = records->self[row];
  unsigned char bytes[GP_CONTEXT_RECORD_SIZE];
  gp_put_u32(bytes, a->number[records->context[row]], o->layout);
  gp_put_u32(bytes + 4, a->number[entered == GP_NONE ? row : entered], o->layout);
  gp_put_u64(bytes + 8, from == GP_NONE ? 0 : a->places[from], o->layout);
  gp_put_u64(bytes + 16, self == GP_NONE ? 0 : a->places[self], o->layout);
  gp_put_u64(bytes + 24, records->counts[row], o->layout);
  put(o, bytes, sizeof bytes);
}

/* Threads of a sum have no numbers. */
static void put_table(output *o, const arrangement *a, uint32_t position,
                      const uint32_t *rows) {
  uint32_t row = a->tables[position];
  const gp_contexts_table *t = &a->sum->tables[row];
  put_section(o, GP_CONTEXT_TABLE,
              GP_CONTEXT_TABLE_SIZE + 8 + (uint64_t)t->name.size +
                  (uint64_t)a->sizes[row] * GP_CONTEXT_RECORD_SIZE);
  put_u32(o, position + 1);
  put_u32(o, 0);
  put_u32(o, (uint32_t)t->threads);
  put_u32(o, t->deferred);
  put_u64(o, t->cpu);
  put_u64(o, t->signals);
  put_u64(o, t->inside);
  put_text(o, t->name.bytes, t->name.size);
  put_u32(o, a->sizes[row]);
  for (uint32_t i = 0; i < a->sizes[row] && !o->failed; i++) put_record(o, a, rows[i]);
}

static void put_tables(output *o, const arrangement *a) {
  const uint32_t *rows = a->rows;
  for (uint32_t i = 0; i < a->sum->table_count; i++) {
    put_table(o, a, i, rows);
    rows += a->sizes[a->tables[i]];
  }
}

static bool put_all(output *o, const arrangement *a, uint64_t *id) {
  put_header(o);
  gp_script_functions functions = a->sum->functions;
  if (functions.bytes) {  /* of a Lua program */
    put_section(o, GP_CONTEXT_FUNCTIONS, functions.size);
    put(o, functions.bytes, functions.size);
  }
  put_process(o, a);
  put_modules(o, a);
  put_lines(o, a->sum);
  put_tables(o, a);
  put_section(o, GP_CONTEXT_END, 4);
  *id = gp_crc32_value(&o->crc);
  put_u32(o, (uint32_t)*id);
  return !o->failed;
}

bool gp_contexts_put(const gp_contexts *sum, gp_writer *writer, uint64_t *id) {
  arrangement a = {.sum = sum};
  output o = {.writer = writer, .layout = sum->layout};
  gp_crc32_init(&o.crc);
  bool done = arrange(&a) ? put_all(&o, &a, id) : gp_fail_memory(writer->error);
  free_arrangement(&a);
  return done;
}
