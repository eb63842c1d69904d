/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads context profiles. */
#include "gmon/context_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"
#include "base/crc32.h"
#include "base/search.h"
#include "base/sort.h"
#include "gmon/bins.h"
#include "gmon/gmon_format.h"

#define VERSION 1
#define BYTE_ORDER_MARK UINT32_C(0x01020304)
#define BYTES_PER_BIN 4

/* If no samples were taken, the empty histogram gets this rate. */
#define DEFAULT_RATE 1000

/* Section kinds, as stored in the file. */
enum { END, PROCESS, MODULES, TABLE };

/* Sizes in bytes: the fixed parts of these sections, and a record in a table. */
enum { PROCESS_SIZE = 80, MODULE_SIZE = 44, TABLE_SIZE = 40, RECORD_SIZE = 32 };

/* The number of roots, the contexts at which call paths begin. They are the first records
 * of a table. */
#define ROOTS 3

/* The value of `entered` in records that readers must ignore (see doc/contexts.md). */
#define NO_CONTEXT UINT32_MAX

/* Code may be larger than the image's file by at most this many bytes, because of
 * alignment. The limit is needed because the claimed range of the code alone determines
 * how much memory the bins take. */
#define MORE_CODE (UINT64_C(1) << 24)

/* The addresses at which the image was loaded. A library that was loaded more than once
 * has several modules. */
typedef struct module {
  gp_range loaded;      /* all segments */
  gp_range code;        /* executable segments */
  uint64_t bias;        /* loaded address minus link-time address */
} module;

typedef struct context_file {
  gp_records *r;
  gp_crc32 crc;
  uint64_t left;        /* unread bytes of the section */
  gp_data sum;          /* sum of the image's records */
  gp_range covered;     /* loaded range of the histogram in gmon.out */
  uint32_t rate;        /* 0 if no samples were taken */
  bool seen[TABLE];     /* for each kind of section: one was read */
  size_t count, capacity;
  module *modules;      /* sorted and disjoint once all are read */
  bool is_program;      /* the image is the program, not a library */
} context_file;

/* --- bytes ----------------------------------------------------------------- */

/* Takes the next bytes of the file, at most GP_READER_WINDOW. */
static const unsigned char *take(context_file *f, size_t size, const char *kind) {
  const unsigned char *bytes = gp_reader_take(f->r->reader, size);
  if (bytes)
    gp_crc32_add(&f->crc, bytes, size);
  else
    gp_records_truncated(f->r, kind);
  return bytes;
}

static bool fail_size(const context_file *f) {
  return gp_fail(f->r->error, "the section at offset %" PRIu64 " has the wrong size",
                 f->r->offset);
}

/* Takes bytes of the current section. */
static const unsigned char *take_part(context_file *f, size_t size) {
  if (size > f->left) {
    fail_size(f);
    return NULL;
  }
  f->left -= size;
  return take(f, size, "the section");
}

static bool skip_part(context_file *f, uint64_t size) {
  while (size > 0) {
    size_t now = size < GP_READER_WINDOW ? (size_t)size : GP_READER_WINDOW;
    if (!take_part(f, now)) return false;
    size -= now;
  }
  return true;
}

static uint64_t u64_at(const context_file *f, const unsigned char *bytes, size_t number) {
  return gp_u64(bytes + 8 * number, f->r->layout);
}

/* Reads the length of a string. */
static bool take_size(context_file *f, uint32_t *size) {
  const unsigned char *bytes = take_part(f, 4);
  if (bytes) *size = gp_u32(bytes, f->r->layout);
  return bytes != NULL;
}

static bool skip_text(context_file *f) {
  uint32_t size;
  return take_size(f, &size) && skip_part(f, size);
}

static bool add(context_file *f, uint64_t *sum, uint64_t more) {
  return gp_count_add(sum, more) ||
         gp_fail(f->r->error, "a count exceeds 63 bits in the section at offset %" PRIu64,
                 f->r->offset);
}

/* --- the process ------------------------------------------------------------ */

static bool read_process(context_file *f) {
  const unsigned char *bytes = take_part(f, PROCESS_SIZE);
  if (!bytes) return false;
  f->covered = (gp_range){u64_at(f, bytes, 7), u64_at(f, bytes, 8)};
  f->rate = gp_u32(bytes + 72, f->r->layout);
  gp_context_counts *counts = &f->r->kind.contexts;
  counts->process = u64_at(f, bytes, 0);
  counts->written = u64_at(f, bytes, 3);
  counts->rate = f->rate;
  counts->joined = gp_u32(bytes + 76, f->r->layout) != 0;
  return add(f, &counts->lost, u64_at(f, bytes, 5)) && skip_text(f);
}

/* --- modules ---------------------------------------------------------------- */

/* Returns the data that has the build ID of the image. */
static const gp_data *wanted(const context_file *f) {
  return f->r->target ? f->r->target : f->r->data;
}

static bool add_module(context_file *f, module m) {
  if (!GP_RESERVE(&f->capacity, f->count + 1, GP_COLUMN(f->modules)))
    return gp_fail_memory(f->r->error);
  f->modules[f->count++] = m;
  return true;
}

static bool read_module(context_file *f, bool is_first) {
  const gp_data *data = wanted(f);
  uint32_t size;
  const unsigned char *bytes = take_part(f, MODULE_SIZE);
  if (!bytes) return false;
  module m = {.bias = u64_at(f, bytes, 0),
              .loaded = {u64_at(f, bytes, 1), u64_at(f, bytes, 2)},
              .code = {u64_at(f, bytes, 3), u64_at(f, bytes, 4)}};
  if (m.loaded.low >= m.loaded.high)
    return gp_fail(f->r->error, "a module in the section at offset %" PRIu64
                   " has no addresses", f->r->offset);
  if (!take_size(f, &size)) return false;
  bool chosen = is_first && data->build_id_size == 0;
  if (size > 0 && size == data->build_id_size) {
    const unsigned char *id = take_part(f, size);
    if (!id) return false;
    chosen = memcmp(id, data->build_id, size) == 0;
  } else if (!skip_part(f, size)) {
    return false;
  }
  if (chosen && is_first) f->is_program = true;
  return (!chosen || add_module(f, m)) && skip_text(f);
}

static int compare_modules(const void *a, const void *b) {
  uint64_t first = ((const module *)a)->loaded.low;
  uint64_t second = ((const module *)b)->loaded.low;
  return (first > second) - (first < second);
}

static bool sort_modules(context_file *f) {
  if (f->count == 0)
    return gp_fail(f->r->error, "was recorded with another build: no module has the "
                   "build ID of the image");
  qsort(f->modules, f->count, sizeof *f->modules, compare_modules);
  for (size_t i = 1; i < f->count; i++)
    if (f->modules[i].loaded.low < f->modules[i - 1].loaded.high)
      return gp_fail(f->r->error, "modules in the section at offset %" PRIu64 " overlap",
                     f->r->offset);
  return true;
}

/* Adds an empty histogram to the sum. For the program, it has the range of the histogram
 * in gmon.out; for a library, the range of its code. */
static bool add_histogram(context_file *f) {
  const module *m = f->modules;
  gp_range range = f->is_program ? f->covered : m->code;
  gp_histogram header = {
      .low = (range.low - m->bias) & ~(uint64_t)(BYTES_PER_BIN - 1),
      .high = (range.high - m->bias + BYTES_PER_BIN - 1) & ~(uint64_t)(BYTES_PER_BIN - 1),
      .rate = f->rate > 0 ? f->rate : DEFAULT_RATE,
      .dimension = BSD_DIMENSION, .abbreviation = BSD_ABBREVIATION, .width = 2};
  bool is_new;
  uint64_t most = wanted(f)->image_size + MORE_CODE;
  if (header.low < header.high && header.high - header.low > most)
    return gp_fail(f->r->error, "claims code from 0x%" PRIx64 " to 0x%" PRIx64
                   ", more than the image has", range.low, range.high);
  header.bins = (size_t)(header.high - header.low) / BYTES_PER_BIN;
  gp_histogram *histogram =
      gp_data_histogram(&f->sum, &header, GP_NO_OFFSET, &is_new, f->r->error);
  if (!histogram) return false;
  histogram->counts = gp_column(header.bins, 2);
  if (!histogram->counts) return gp_fail_memory(f->r->error);
  histogram->bins = header.bins;
  return true;
}

static bool read_modules(context_file *f) {
  uint32_t count;
  if (!take_size(f, &count)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!read_module(f, i == 0)) return false;
  f->r->kind.contexts.modules = count;
  return sort_modules(f) && add_histogram(f);
}

/* --- tables ----------------------------------------------------------------- */

static bool ends_before(const void *modules, size_t row, uint64_t address) {
  return ((const module *)modules)[row].loaded.high <= address;
}

/* Converts a loaded address to a link-time address of the image. False if the address is
 * in another module. */
static bool in_image(const context_file *f, uint64_t *address) {
  size_t i = gp_search(f->modules, 0, f->count, *address, ends_before);
  if (i == f->count || *address < f->modules[i].loaded.low) return false;
  *address -= f->modules[i].bias;
  return true;
}

static bool add_sample(context_file *f, uint64_t at, uint64_t ticks) {
  gp_histogram *histogram = f->sum.histograms;
  if (!add(f, &f->r->kind.contexts.ticks, ticks)) return false;
  if (!in_image(f, &at) || at < histogram->low || at >= histogram->high) return true;
  return gp_bins_add_one(histogram, (size_t)(at - histogram->low) / BYTES_PER_BIN, ticks,
                         f->r->error);
}

static bool add_call(context_file *f, uint64_t from, uint64_t self, uint64_t calls) {
  if (!add(f, &f->r->kind.contexts.calls, calls)) return false;
  if (calls == 0 || !in_image(f, &self)) return true;
  if (!in_image(f, &from)) from = gp_unknown_caller(f->r->layout);
  return gp_data_add_arc(&f->sum, from, self, calls, GP_NO_OFFSET, f->r->error);
}

static bool read_record(context_file *f, uint32_t number) {
  uint64_t offset = f->r->reader->offset;
  const unsigned char *bytes = take_part(f, RECORD_SIZE);
  if (!bytes) return false;
  uint32_t context = gp_u32(bytes, f->r->layout);
  uint32_t entered = gp_u32(bytes + 4, f->r->layout);
  uint64_t from = u64_at(f, bytes, 1), self = u64_at(f, bytes, 2);
  uint64_t count = u64_at(f, bytes, 3);
  if (number < ROOTS ? context != number || self != 0
                     : context >= number || (entered > number && entered != NO_CONTEXT))
    return gp_fail(f->r->error, "the record at offset %" PRIu64 " refers to a later one",
                   offset);
  if (number < ROOTS || entered == NO_CONTEXT) return true;
  if (self == 0) return add_sample(f, from, count);
  f->r->kind.contexts.contexts += entered == number;
  return add_call(f, from, self, count);
}

static bool read_table(context_file *f) {
  gp_context_counts *counts = &f->r->kind.contexts;
  const unsigned char *bytes = take_part(f, TABLE_SIZE);
  uint32_t records;
  if (!bytes) return false;
  uint32_t threads = gp_u32(bytes + 8, f->r->layout);
  if (!add(f, &counts->threads, threads) || !skip_text(f) || !take_size(f, &records))
    return false;
  if (records < ROOTS || f->left != (uint64_t)records * RECORD_SIZE) return fail_size(f);
  for (uint32_t i = 0; i < records; i++)
    if (!read_record(f, i)) return false;
  return true;
}

/* --- the file --------------------------------------------------------------- */

static bool read_header(context_file *f) {
  const unsigned char *bytes = take(f, GP_CONTEXT_HEADER, "the header");
  if (!bytes) return false;
  gp_layout layout = f->r->layout;
  uint32_t mark = gp_u32(bytes + 8, layout);
  if (mark == __builtin_bswap32(BYTE_ORDER_MARK))
    return gp_fail(f->r->error, "is %s-endian, but the program is %s-endian",
                   layout.big_endian ? "little" : "big",
                   layout.big_endian ? "big" : "little");
  if (mark != BYTE_ORDER_MARK)
    return gp_fail(f->r->error, "is damaged: no byte order mark at offset 8");
  f->r->kind.version = gp_u16(bytes + 12, layout);
  if (f->r->kind.version != VERSION)
    return gp_fail(f->r->error, "unsupported version %" PRIu32 " of context profiles: "
                   "expected %d", f->r->kind.version, VERSION);
  unsigned size = gp_u16(bytes + 14, layout);
  return size == layout.pointer_size ||
         gp_fail(f->r->error, "has addresses of %u bytes, but those of the program have "
                 "%u", size, layout.pointer_size);
}

static bool read_end(context_file *f) {
  uint32_t expected = gp_crc32_value(&f->crc);
  const unsigned char *bytes = take_part(f, 4);
  if (!bytes) return false;
  if (gp_u32(bytes, f->r->layout) != expected)
    return gp_fail(f->r->error, "is damaged: its checksum is wrong");
  if (gp_reader_available(f->r->reader, 1) > 0)
    return gp_fail(f->r->error, "has unexpected data after its end, at offset %" PRIu64,
                   f->r->reader->offset);
  return !f->r->reader->failed;
}

/* Whether a section of this kind may come next. */
static bool is_expected(const context_file *f, uint32_t kind) {
  switch (kind) {
    case PROCESS: return !f->seen[PROCESS];
    case MODULES: return f->seen[PROCESS] && !f->seen[MODULES];
    case TABLE: case END: return f->seen[MODULES];
    default: return true;
  }
}

static bool read_section_body(context_file *f, uint32_t kind) {
  switch (kind) {
    case END: return read_end(f);
    case PROCESS: return read_process(f);
    case MODULES: return read_modules(f);
    case TABLE: return read_table(f);
    default: return skip_part(f, f->left);
  }
}

/* Reads a section, and sets *kind. */
static bool read_section(context_file *f, uint32_t *kind) {
  f->r->offset = f->r->reader->offset;
  const unsigned char *bytes = take(f, 12, "the section");
  if (!bytes) return false;
  *kind = gp_u32(bytes, f->r->layout);
  f->left = gp_u64(bytes + 4, f->r->layout);
  if (!gp_reader_may_hold(f->r->reader, f->left))
    return gp_fail(f->r->error, "the section at offset %" PRIu64 " claims %" PRIu64
                   " bytes, but only %" PRIu64 " follow", f->r->offset, f->left,
                   f->r->reader->size - f->r->reader->offset);
  if (!is_expected(f, *kind))
    return gp_fail(f->r->error, "unexpected section of kind %" PRIu32 " at offset %"
                   PRIu64, *kind, f->r->offset);
  if (!read_section_body(f, *kind)) return false;
  if (f->left > 0) return fail_size(f);
  if (*kind < TABLE) f->seen[*kind] = true;
  return true;
}

/* --- the sum ---------------------------------------------------------------- */

static bool is_arc_before(const void *columns, uint32_t b, uint32_t a) {
  const gp_arcs *arcs = columns;
  if (arcs->from[b] != arcs->from[a]) return arcs->from[b] < arcs->from[a];
  return arcs->self[b] < arcs->self[a];
}

/* Adds the arcs of the sum in the order of gmon.out. */
static bool add_arcs(context_file *f) {
  const gp_arcs *arcs = &f->sum.arcs;
  uint32_t *rows = gp_identity(arcs->count);
  bool done = rows && gp_sort(rows, arcs->count, is_arc_before, arcs);
  if (!done) gp_fail_memory(f->r->error);
  for (size_t i = 0; done && i < arcs->count; i++)
    done = gp_records_add_arc(f->r, arcs->from[rows[i]], arcs->self[rows[i]],
                              arcs->calls[rows[i]]);
  free(rows);
  return done;
}

static bool add_sum(context_file *f) {
  gp_data *data = f->r->data;
  const gp_histogram *histogram = f->sum.histograms;
  data->has_arcs = true;
  f->r->offset = 0;
  return (!f->r->target ||
          gp_data_accepts(f->r->target, histogram, GP_NO_OFFSET, f->r->error)) &&
         gp_data_add_histogram(data, histogram, f->r->error) && add_arcs(f);
}

bool gp_context_profile_read(gp_records *r) {
  context_file f = {.r = r};
  gp_crc32_init(&f.crc);
  gp_data_init(&f.sum, r->layout);
  uint32_t kind = PROCESS;
  bool done = read_header(&f);
  while (done && kind != END) done = read_section(&f, &kind);
  done = done && add_sum(&f);
  gp_data_free(&f.sum);
  free(f.modules);
  return done;
}
