/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes sums: two profiles are added up, written in every format, and read back. So are
 * two context profiles.
 *
 * Parts: choices (layout, System V's format, Windows' narrow counts; context profiles,
 * whose checksums are corrected), two files.
 *
 * Properties: the order of two context profiles makes no difference. The sum of their
 * sum is the same file. Reading two files into one sum, and merging their separate data,
 * gives the same sum, or both fail. Reading a written sum gives the same data. A sum
 * that a format cannot hold is refused with an error of one line, and nothing is
 * written.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../sameness.h"
#include "../support.h"
#include "gmon/contexts/contexts.h"
#include "gmon/gmon_read.h"
#include "gmon/gmon_write.h"

const size_t fuzz_part_count = 3;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_file(gp_data *data, gp_format format, fuzz_file from) {
  gp_error error = {""};
  gp_file_kind kind;
  bool done = gp_data_read(data, from.path, &(gp_read_options){.format = format}, &kind,
                           &error);
  fuzz_check_error(done, &error);
  return done;
}

static bool add(gp_data *sum, const gp_data *data) {
  gp_error error = {""};
  bool done = gp_data_merge(sum, data, &error);
  fuzz_check_error(done, &error);
  return done;
}

/* A larger count is split into so many records that writing them takes too long. */
#define MAX_COUNT (UINT64_C(1) << 36)

static bool is_huge(const gp_data *data) {
  for (size_t i = 0; i < data->arcs.count; i++)
    if (data->arcs.calls[i] > MAX_COUNT) return true;
  for (size_t i = 0; i < data->blocks.count; i++)
    if (data->blocks.executions[i] > MAX_COUNT) return true;
  return false;
}

/* Writes a sum in a format, and reads it back. */
static void write_and_read(const gp_data *sum, gp_format format) {
  gp_error error = {""};
  gp_file_kind kind;
  gp_data back;
  fuzz_catch_output();
  bool done = gp_data_write_open(sum, STDOUT_FILENO, format, NULL, &error);
  fuzz_check_error(done, &error);
  FUZZ_HOLDS((lseek(STDOUT_FILENO, 0, SEEK_CUR) > 0) == done);
  if (!done) return;
  lseek(STDOUT_FILENO, 0, SEEK_SET);
  gp_data_init(&back, sum->layout);
  done = gp_data_read_open(&back, STDOUT_FILENO, &(gp_read_options){.format = format},
                           &kind, &error);
  fuzz_check_error(done, &error);
  FUZZ_HOLDS(done && fuzz_is_multiple(sum, &back, 1));
  gp_data_free(&back);
}

/* Reads two files into one sum. */
static bool read_both(gp_data *sum, gp_format format, const fuzz_file *files) {
  return read_file(sum, format, files[0]) && read_file(sum, format, files[1]);
}

/* Reads the files separately and merges them; checks that this gives the same sum. */
static void merge_both(const gp_data *sum, bool readable, gp_format format,
                       const fuzz_file *files) {
  gp_data merged, one[2];
  gp_data_init(&merged, sum->layout);
  bool done = true, each = true;
  for (int i = 0; i < 2; i++) {
    gp_data_init(&one[i], sum->layout);
    each = read_file(&one[i], format, files[i]) && each;
    done = each && done && add(&merged, &one[i]);
  }
  FUZZ_HOLDS(done == readable);
  if (done) FUZZ_HOLDS(fuzz_is_multiple(sum, &merged, 1));
  for (int i = 0; i < 2; i++) gp_data_free(&one[i]);
  gp_data_free(&merged);
}

/* --- context profiles ---------------------------------------------------------- */

/* The sum of context profiles, as written. */
typedef struct written {
  size_t size;
  unsigned char *bytes;   /* NULL: they cannot be added up */
} written;

static void put(const gp_contexts *sum, written *to) {
  gp_error error = {""};
  gp_writer writer;
  uint64_t id;
  fuzz_catch_output();
  bool done = gp_writer_open(&writer, "-", GP_PATH_CHOSEN, &error) &&
              gp_writer_close(&writer, gp_contexts_put(sum, &writer, &id));
  fuzz_check_error(done, &error);
  FUZZ_HOLDS(done);
  to->size = (size_t)lseek(STDOUT_FILENO, 0, SEEK_CUR);
  to->bytes = malloc(to->size);
  FUZZ_HOLDS(pread(STDOUT_FILENO, to->bytes, to->size, 0) == (ssize_t)to->size);
}

static written add_contexts(gp_layout layout, const fuzz_file *first, size_t count) {
  gp_error error = {""};
  gp_contexts sum;
  gp_context_counts counts;
  written result = {0, NULL};
  bool done = true;
  gp_contexts_init(&sum, layout);
  for (size_t i = 0; done && i < count; i++) {
    done = gp_contexts_add(&sum, first[i].path, &counts, &error);
    fuzz_check_error(done, &error);
  }
  if (done) put(&sum, &result);
  gp_contexts_free(&sum);
  return result;
}

static bool is_same(written a, written b) {
  return a.size == b.size && (!a.bytes) == (!b.bytes) &&
         (!a.bytes || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static void sum_contexts(gp_layout layout, const fuzz_part *parts) {
  fuzz_file files[3] = {
      fuzz_make_file(fuzz_with_checksum(parts[0], layout.big_endian), 0),
      fuzz_make_file(fuzz_with_checksum(parts[1], layout.big_endian), 1)};
  files[2] = files[0];
  written sum = add_contexts(layout, files, 2);
  written other = add_contexts(layout, files + 1, 2);
  FUZZ_HOLDS(is_same(sum, other));
  if (sum.bytes) {
    fuzz_file again = fuzz_make_file((fuzz_part){sum.bytes, sum.size}, 0);
    written same = add_contexts(layout, &again, 1);
    FUZZ_HOLDS(is_same(sum, same));
    free(same.bytes);
  }
  free(sum.bytes);
  free(other.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[3];
  fuzz_parts(data, size, parts, 3);
  uint8_t choices = fuzz_byte(parts[0], 0);
  if (choices & 16) {
    sum_contexts((gp_layout){.big_endian = choices & 1, .pointer_size = 8}, parts + 1);
    return 0;
  }
  fuzz_file files[2] = {fuzz_make_file(parts[1], 0), fuzz_make_file(parts[2], 1)};
  gp_data sum;
  gp_data_init(&sum, (gp_layout){.big_endian = choices & 1,
                                 .pointer_size = choices & 2 ? 4 : 8,
                                 .narrow_counts = choices & 8});
  gp_format format = choices & 4 ? GP_FORMAT_PROF : GP_FORMAT_AUTO;
  bool readable = read_both(&sum, format, files);
  merge_both(&sum, readable, format, files);
  if (readable) fuzz_check_data(&sum);
  if (readable && !is_huge(&sum))
    for (gp_format to = GP_FORMAT_MAGIC; to <= GP_FORMAT_44BSD; to++)
      write_and_read(&sum, to);
  gp_data_free(&sum);
  return 0;
}
