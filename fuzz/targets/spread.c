/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the spread of sums: two files are read, added up and written.
 *
 * Parts: choices (whether to correct what a mutation makes wrong: the functions and the
 * checksum), two files.
 *
 * Properties: what is read is possible: no deviation is negative or not a number, and the
 * mean is between minimum and maximum. Writing what was read, and reading that, gives the
 * same bytes. Adding up three spreads gives the same bytes for both groupings, or fails
 * with an error of one line.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../support.h"
#include "gmon/sum/spread_file.h"

const size_t fuzz_part_count = 3;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The functions of the imaginary image. */
static const uint64_t addresses[] = {0x1000, 0x1020, 0x1040, 0x2000, UINT64_MAX};
enum { FUNCTIONS = sizeof addresses / sizeof *addresses };

static void init(gp_spread *spread) {
  gp_error error = {""};
  FUZZ_HOLDS(gp_spread_init(spread, addresses, FUNCTIONS, &error));
}

static void check_amounts(const gp_amounts *a, uint64_t runs) {
  double deviation = runs > 0 ? gp_amounts_deviation(a, runs) : 0;
  double mean = runs > 0 ? (double)a->sum / (double)runs : 0;
  FUZZ_HOLDS(isfinite(deviation) && deviation >= 0);
  FUZZ_HOLDS((double)gp_amounts_min(a, runs) <= mean * (1 + 1e-9));
  FUZZ_HOLDS(mean <= (double)a->most * (1 + 1e-9));
  FUZZ_HOLDS((a->who == GP_NONE) == (a->runs == 0));
}

static void check(const gp_spread *spread) {
  check_amounts(&spread->ticks, spread->runs);
  check_amounts(&spread->all_calls, spread->runs);
  for (uint32_t i = 0; i < spread->count; i++) {
    check_amounts(&spread->time[i], spread->runs);
    check_amounts(&spread->calls[i], spread->runs);
  }
}

/* Reads a file into a new spread. If that fails, the spread is freed. */
static bool read_file(gp_spread *spread, const char *path) {
  gp_error error = {""};
  gp_reader reader;
  uint32_t id = 0;
  init(spread);
  bool done = gp_reader_open(&reader, path, &error);
  if (done) {
    done = gp_spread_read(spread, &reader, &id, &error);
    gp_reader_close(&reader);
  }
  fuzz_check_error(done, &error);
  if (done) {
    FUZZ_HOLDS(id != 0);
    check(spread);
  } else {
    gp_spread_free(spread);
  }
  return done;
}

typedef struct written {
  size_t size;
  unsigned char *bytes;
} written;

static written put(const gp_spread *spread) {
  gp_error error = {""};
  gp_writer writer;
  uint32_t id;
  fuzz_catch_output();
  bool done = gp_writer_open(&writer, "-", GP_PATH_CHOSEN, &error) &&
              gp_writer_close(&writer, gp_spread_put(spread, &writer, &id));
  fuzz_check_error(done, &error);
  FUZZ_HOLDS(done);
  written result = {(size_t)lseek(STDOUT_FILENO, 0, SEEK_CUR), NULL};
  result.bytes = malloc(result.size);
  FUZZ_HOLDS(pread(STDOUT_FILENO, result.bytes, result.size, 0) == (ssize_t)result.size);
  return result;
}

/* Checks that two spreads are the same file; frees one of them. */
static void check_same(const written *expected, gp_spread *spread) {
  written other = put(spread);
  FUZZ_HOLDS(expected->size == other.size &&
             memcmp(expected->bytes, other.bytes, other.size) == 0);
  free(other.bytes);
  gp_spread_free(spread);
}

static bool merge(gp_spread *spread, const gp_spread *other) {
  gp_error error = {""};
  bool done = gp_spread_merge(spread, other, &error);
  fuzz_check_error(done, &error);
  if (done) check(spread);
  return done;
}

static void read_again(const gp_spread *spread) {
  written once = put(spread);
  fuzz_file file = fuzz_make_file((fuzz_part){once.bytes, once.size}, 0);
  gp_spread again;
  FUZZ_HOLDS(read_file(&again, file.path));
  check_same(&once, &again);
  free(once.bytes);
}

/* Adds up a, b and a in two groupings. */
static void add_up(const gp_spread *a, const gp_spread *b) {
  gp_spread left, right, last;
  init(&left);
  init(&right);
  init(&last);
  bool done = merge(&left, a) && merge(&left, b) && merge(&left, a);
  bool other = merge(&last, b) && merge(&last, a) && merge(&right, a) &&
               merge(&right, &last);
  FUZZ_HOLDS(done == other);
  if (done) {
    written expected = put(&left);
    check_same(&expected, &right);
    free(expected.bytes);
  } else {
    gp_spread_free(&right);
  }
  gp_spread_free(&left);
  gp_spread_free(&last);
}

/* Returns a copy of a file that is of the functions above. */
static fuzz_part with_functions(fuzz_part file, unsigned char *copy, size_t room) {
  gp_spread spread;
  if (file.size < 24 || file.size > room) return file;
  memcpy(copy, file.bytes, file.size);
  init(&spread);
  gp_put_u32(copy + 12, spread.count, (gp_layout){.pointer_size = 8});
  gp_put_u32(copy + 16, spread.checksum, (gp_layout){.pointer_size = 8});
  gp_spread_free(&spread);
  return fuzz_with_checksum((fuzz_part){copy, file.size}, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned char copies[2][65536];
  fuzz_part parts[3];
  gp_spread spreads[2];
  bool read[2];
  fuzz_parts(data, size, parts, 3);
  bool corrects = !(fuzz_byte(parts[0], 0) & 1);
  for (unsigned i = 0; i < 2; i++) {
    fuzz_part part = parts[i + 1];
    if (corrects) part = with_functions(part, copies[i], sizeof copies[i]);
    read[i] = read_file(&spreads[i], fuzz_make_file(part, 0).path);
    if (read[i]) read_again(&spreads[i]);
  }
  if (read[0] && read[1]) add_up(&spreads[0], &spreads[1]);
  for (unsigned i = 0; i < 2; i++)
    if (read[i]) gp_spread_free(&spreads[i]);
  return 0;
}
