/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes the spread of a sum. All numbers are little-endian. */
#include "gmon/sum/spread_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/crc32.h"
#include "gmon/gmon_format.h"

/* Sizes and offsets in bytes. */
enum {
  HEADER = 256,
  AMOUNTS = 56,                 /* of a gp_amounts */
  RECORD = 8 + 2 * AMOUNTS      /* of a function: its address, time and calls */
};
enum {
  AT_VERSION = 8, AT_FUNCTIONS = 12, AT_CHECKSUM = 16, AT_BUILD_ID_SIZE = 20,
  AT_BUILD_ID = 24, AT_UNITS = 88, AT_BINS = 96, AT_RATE = 104, AT_DIMENSION = 108,
  AT_RUNS = 128, AT_SKIPPED = 136, AT_TICKS = 144, AT_CALLS = AT_TICKS + AMOUNTS
};

static const gp_layout layout = {.pointer_size = 8};

static uint32_t u32(const unsigned char *p) { return gp_u32(p, layout); }

static uint64_t u64(const unsigned char *p) { return gp_u64(p, layout); }

/* The number in the header of the sum. 0 means that it has no spread; VERSION_SHARED has
 * a meaning there, too. */
static uint32_t id_of(uint32_t checksum) {
  return checksum == 0 || checksum == VERSION_SHARED ? 1 : checksum;
}

/* --- reading ------------------------------------------------------------------- */

typedef struct input {
  gp_spread *spread;
  gp_reader *reader;
  gp_crc32 crc;
  gp_error *error;
  uint32_t names;               /* number of names in the file */
} input;

static const unsigned char *take(input *in, size_t size) {
  const unsigned char *bytes = gp_reader_take(in->reader, size);
  if (bytes)
    gp_crc32_add(&in->crc, bytes, size);
  else if (!in->reader->failed)
    gp_fail(in->error, "ends within the record at offset %" PRIu64, in->reader->offset);
  return bytes;
}

static bool fail_at(const input *in, const char *what) {
  return gp_fail(in->error, "is damaged: %s before offset %" PRIu64, what,
                 in->reader->offset);
}

/* Whether values with these amounts exist in `runs` runs. */
static bool are_possible(const gp_amounts *a, uint64_t runs) {
  if (a->runs == 0)
    return a->sum == 0 && a->least == 0 && a->most == 0 && a->squares.high == 0 &&
           a->squares.low == 0 && a->who == GP_NONE;
  gp_wide sum = {0, a->sum};
  return a->runs <= runs && a->sum <= INT64_MAX && a->least > 0 && a->least <= a->most &&
         a->who != GP_NONE && gp_wide_at_most(gp_wide_product(a->runs, a->least), sum) &&
         gp_wide_at_most(sum, gp_wide_product(a->runs, a->most)) &&
         gp_wide_at_most(gp_wide_square(a->most), a->squares) &&
         gp_wide_at_most(a->squares, gp_wide_product(a->sum, a->most));
}

/* Reads amounts. Names are known only later: see read_name. */
static bool get_amounts(input *in, const unsigned char *p, gp_amounts *a) {
  *a = (gp_amounts){.runs = u64(p), .sum = u64(p + 8), .least = u64(p + 16),
                    .most = u64(p + 24), .squares = {u64(p + 40), u64(p + 32)},
                    .who = u32(p + 48)};
  return are_possible(a, in->spread->runs) ||
         fail_at(in, "amounts contradict each other");
}

/* Counts a use of a name. */
static bool use_name(input *in, const gp_amounts *a) {
  if (a->who == GP_NONE) return true;
  if (a->who >= in->names) return fail_at(in, "a name has no such number");
  in->spread->names[a->who].uses++;
  return true;
}

static bool check_header(const input *in, const unsigned char *p) {
  if (memcmp(p, GP_SPREAD_MAGIC, strlen(GP_SPREAD_MAGIC)) != 0)
    return gp_fail(in->error, "is not the spread of a sum");
  if (u32(p + AT_VERSION) != GP_SPREAD_VERSION)
    return gp_fail(in->error, "unsupported version %" PRIu32 " of spreads: expected %d",
                   u32(p + AT_VERSION), GP_SPREAD_VERSION);
  return u32(p + AT_BUILD_ID_SIZE) <= GP_DATA_BUILD_ID_BYTES ||
         fail_at(in, "the build ID is too long");
}

/* Whether the file is of the functions of this spread. */
static bool check_functions(const input *in, const unsigned char *p) {
  gp_spread other = {.count = u32(p + AT_FUNCTIONS), .checksum = u32(p + AT_CHECKSUM),
                     .build_id_size = u32(p + AT_BUILD_ID_SIZE)};
  memcpy(other.build_id, p + AT_BUILD_ID, other.build_id_size);
  return gp_spread_is_of(in->spread, &other, in->error);
}

static bool get_scale(const input *in, const unsigned char *p) {
  gp_time_scale *scale = &in->spread->scale;
  scale->units = u64(p + AT_UNITS);
  scale->bins = u64(p + AT_BINS);
  scale->rate = u32(p + AT_RATE);
  memcpy(scale->dimension, p + AT_DIMENSION, DIMENSION_SIZE);
  scale->abbreviation = (char)p[AT_DIMENSION + DIMENSION_SIZE];
  if (scale->bins == 0) return scale->units == 0 || fail_at(in, "there are no bins");
  gp_time_scale reduced = *scale;
  if (scale->units > 0) gp_time_scale_reduce(&reduced);
  return (scale->units > 0 && reduced.bins == scale->bins && scale->rate > 0) ||
         fail_at(in, "the size of a bin is wrong");
}

static bool read_header(input *in, gp_amounts *ticks, gp_amounts *calls) {
  const unsigned char *p = take(in, HEADER);
  if (!p || !check_header(in, p) || !check_functions(in, p) || !get_scale(in, p))
    return false;
  in->spread->runs = u64(p + AT_RUNS);
  in->spread->skipped = u64(p + AT_SKIPPED);
  if (in->spread->runs > INT64_MAX || in->spread->skipped > INT64_MAX)
    return fail_at(in, "the number of runs exceeds 63 bits");
  return get_amounts(in, p + AT_TICKS, ticks) && get_amounts(in, p + AT_CALLS, calls);
}

static bool read_name(input *in) {
  const unsigned char *p = take(in, 4);
  if (!p) return false;
  uint32_t size = u32(p);
  if (size > GP_RUN_NAME_MAX) return fail_at(in, "a name is too long");
  p = take(in, size);
  if (!p) return false;
  /* bytes were taken: NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
  if (memchr(p, '\0', size)) return fail_at(in, "a name has a zero byte");
  return gp_spread_name(in->spread, (const char *)p, size) != GP_NONE ||
         gp_fail_memory(in->error);
}

/* Reads a count of items that have at least `size` bytes each. */
static bool read_count(input *in, size_t size, uint32_t *count) {
  const unsigned char *p = take(in, 4);
  if (!p) return false;
  *count = u32(p);
  return gp_reader_may_hold(in->reader, (uint64_t)*count * size) ||
         fail_at(in, "a count exceeds the size of the file");
}

/* Reads the record of a function. Records are in the order of addresses; `*next` is the
 * first row that this one may have. */
static bool read_record(input *in, uint32_t *next) {
  gp_spread *spread = in->spread;
  const unsigned char *p = take(in, RECORD);
  if (!p) return false;
  uint32_t row = gp_spread_row(spread, u64(p));
  if (row == GP_NONE || row < *next) return fail_at(in, "no function has this address");
  *next = row + 1;
  gp_amounts time, calls;
  if (!get_amounts(in, p + 8, &time) || !get_amounts(in, p + 8 + AMOUNTS, &calls))
    return false;
  spread->time[row] = time;
  spread->calls[row] = calls;
  if (!gp_spread_has(spread, row)) return fail_at(in, "a function has no amounts");
  return use_name(in, &time) && use_name(in, &calls);
}

static bool read_records(input *in) {
  uint32_t count, next = 0;
  if (!read_count(in, RECORD, &count)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!read_record(in, &next)) return false;
  return true;
}

static bool read_end(input *in, uint32_t *id) {
  uint32_t expected = gp_crc32_value(&in->crc);
  const unsigned char *p = take(in, 4);
  if (!p) return false;
  if (u32(p) != expected) return gp_fail(in->error, "is damaged: its checksum is wrong");
  *id = id_of(expected);
  if (gp_reader_available(in->reader, 1) > 0)
    return gp_fail(in->error, "has unexpected data after its end, at offset %" PRIu64,
                   in->reader->offset);
  return !in->reader->failed;
}

bool gp_spread_read(gp_spread *spread, gp_reader *reader, uint32_t *id,
                    gp_error *error) {
  input in = {.spread = spread, .reader = reader, .error = error};
  gp_amounts ticks = {0}, calls = {0};
  gp_crc32_init(&in.crc);
  if (!read_header(&in, &ticks, &calls) || !read_count(&in, 4, &in.names)) return false;
  for (uint32_t i = 0; i < in.names; i++)
    if (!read_name(&in)) return false;
  spread->ticks = ticks;
  spread->all_calls = calls;
  if (!use_name(&in, &ticks) || !use_name(&in, &calls) || !read_records(&in) ||
      !read_end(&in, id))
    return false;
  for (uint32_t i = 0; i < in.names; i++)
    if (spread->names[i].uses == 0) return fail_at(&in, "a name is not used");
  return true;
}

/* --- writing ------------------------------------------------------------------- */

typedef struct output {
  const gp_spread *spread;
  gp_writer *writer;
  gp_crc32 crc;
  uint32_t *number;       /* by row of the name: its number in the file, or GP_NONE */
  uint32_t *rows;         /* rows of the names in the file, in their order */
  uint32_t names, records;
  gp_hash index;          /* names in the file, by their text */
} output;

static gp_key name_key(const void *columns, uint32_t position) {
  const output *out = columns;
  const gp_run_name *name = &out->spread->names[out->rows[position]];
  return gp_bytes_key(name->text, name->size);
}

/* Numbers a name: equal names, which come from different spreads, are one in the file.
 * Different names with the same key, which never occur by chance, are both written. */
static bool number_name(output *out, const gp_amounts *a) {
  const gp_run_name *names = out->spread->names;
  if (a->who == GP_NONE || out->number[a->who] != GP_NONE) return true;
  const gp_run_name *name = &names[a->who];
  uint32_t known = gp_hash_find(&out->index, gp_bytes_key(name->text, name->size));
  const gp_run_name *other = known == GP_NONE ? NULL : &names[out->rows[known]];
  if (other && name->size == other->size &&
      memcmp(name->text, other->text, name->size) == 0) {
    out->number[a->who] = known;
    return true;
  }
  out->number[a->who] = out->names;
  out->rows[out->names] = a->who;
  return known != GP_NONE ? ++out->names : gp_hash_add(&out->index, out->names++);
}

/* Numbers the names in the order of their first use. */
static bool number_names(output *out) {
  const gp_spread *spread = out->spread;
  out->number = gp_column(spread->name_count, sizeof *out->number);
  out->rows = gp_column(spread->name_count, sizeof *out->rows);
  if (!out->number || !out->rows) return false;
  memset(out->number, 0xff, spread->name_count * sizeof *out->number);
  gp_hash_init(&out->index, name_key, out);
  bool done = number_name(out, &spread->ticks) && number_name(out, &spread->all_calls);
  for (uint32_t i = 0; done && i < spread->count; i++) {
    out->records += gp_spread_has(spread, i);
    done = number_name(out, &spread->time[i]) && number_name(out, &spread->calls[i]);
  }
  gp_hash_free(&out->index);
  return done;
}

static bool put(output *out, const unsigned char *bytes, size_t size) {
  unsigned char *room = gp_writer_room(out->writer, size);
  if (!room) return false;
  memcpy(room, bytes, size);
  gp_crc32_add(&out->crc, bytes, size);
  return true;
}

static bool put_u32(output *out, uint32_t number) {
  unsigned char bytes[4];
  gp_put_u32(bytes, number, layout);
  return put(out, bytes, sizeof bytes);
}

static void set_amounts(const output *out, unsigned char *p, const gp_amounts *a) {
  const uint64_t words[] = {a->runs, a->sum, a->least, a->most, a->squares.low,
                            a->squares.high};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    gp_put_u64(p + 8 * i, words[i], layout);
  gp_put_u32(p + 48, a->who == GP_NONE ? GP_NONE : out->number[a->who], layout);
  gp_put_u32(p + 52, 0, layout);
}

static bool put_header(output *out) {
  const gp_spread *spread = out->spread;
  const gp_time_scale *scale = &spread->scale;
  unsigned char p[HEADER] = {0};
  /* NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
  memcpy(p, GP_SPREAD_MAGIC, strlen(GP_SPREAD_MAGIC));
  gp_put_u32(p + AT_VERSION, GP_SPREAD_VERSION, layout);
  gp_put_u32(p + AT_FUNCTIONS, spread->count, layout);
  gp_put_u32(p + AT_CHECKSUM, spread->checksum, layout);
  gp_put_u32(p + AT_BUILD_ID_SIZE, (uint32_t)spread->build_id_size, layout);
  memcpy(p + AT_BUILD_ID, spread->build_id, spread->build_id_size);
  gp_put_u64(p + AT_UNITS, scale->units, layout);
  gp_put_u64(p + AT_BINS, scale->bins, layout);
  gp_put_u32(p + AT_RATE, scale->rate, layout);
  memcpy(p + AT_DIMENSION, scale->dimension, DIMENSION_SIZE);
  p[AT_DIMENSION + DIMENSION_SIZE] = (unsigned char)scale->abbreviation;
  gp_put_u64(p + AT_RUNS, spread->runs, layout);
  gp_put_u64(p + AT_SKIPPED, spread->skipped, layout);
  set_amounts(out, p + AT_TICKS, &spread->ticks);
  set_amounts(out, p + AT_CALLS, &spread->all_calls);
  return put(out, p, sizeof p);
}

static bool put_names(output *out) {
  bool done = put_u32(out, out->names);
  for (uint32_t i = 0; done && i < out->names; i++) {
    const gp_run_name *name = &out->spread->names[out->rows[i]];
    done = put_u32(out, name->size) &&
           put(out, (const unsigned char *)name->text, name->size);
  }
  return done;
}

static bool put_records(output *out) {
  const gp_spread *spread = out->spread;
  bool done = put_u32(out, out->records);
  for (uint32_t i = 0; done && i < spread->count; i++) {
    unsigned char p[RECORD];
    if (!gp_spread_has(spread, i)) continue;
    gp_put_u64(p, spread->address[i], layout);
    set_amounts(out, p + 8, &spread->time[i]);
    set_amounts(out, p + 8 + AMOUNTS, &spread->calls[i]);
    done = put(out, p, sizeof p);
  }
  return done;
}

bool gp_spread_put(const gp_spread *spread, gp_writer *writer, uint32_t *id) {
  output out = {.spread = spread, .writer = writer};
  gp_crc32_init(&out.crc);
  bool done = (number_names(&out) || gp_fail_memory(writer->error)) &&
              put_header(&out) && put_names(&out) && put_records(&out);
  uint32_t checksum = gp_crc32_value(&out.crc);
  *id = id_of(checksum);
  done = done && put_u32(&out, checksum);
  free(out.number);
  free(out.rows);
  return done;
}
