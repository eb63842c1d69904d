/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the reader of profile files, with any format, byte order and pointer size.
 *
 * Parts: choices (layout, format, mixed rates, traces; size of pieces; whether to correct
 * the checksum of a context profile, and the length of the build ID), the file.
 *
 * Properties: reading a file as a whole, and in pieces of any size as from a pipe, gives
 * the same data, or both fail. An error is one line. A file added twice counts twice; a
 * damaged file leaves a sum unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "../sameness.h"
#include "../support.h"
#include "gmon/sum/add_file.h"

const size_t fuzz_part_count = 2;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct reading {
  gp_layout layout;
  gp_format format;
  fuzz_file from;
  bool mixed_rates, traced;
  size_t build_id_size;
} reading;

/* Makes an empty sum. Its build ID is 1, 2, 3 ... */
static void prepare(const reading *read, gp_data *data) {
  gp_data_init(data, read->layout);
  data->mixed_rates = read->mixed_rates;
  data->build_id_size = read->build_id_size;
  for (size_t i = 0; i < read->build_id_size; i++)
    data->build_id[i] = (unsigned char)(i + 1);
}

/* Reads the file as a whole into `data`. Returns false if it cannot be read. */
static bool read_whole(const reading *read, gp_data *data) {
  gp_error error = {""};
  gp_read_options options = {.format = read->format};
  gp_file_kind kind;
  prepare(read, data);
  bool done = gp_data_read(data, read->from.path, &options, &kind, &error);
  fuzz_check_error(done, &error);
  return done;
}

static void take_line(void *context, const char *text) {
  (void)context;
  FUZZ_HOLDS(text[0] != '\0' && !strpbrk(text, "\n\r"));
}

/* Reads the file in pieces into `data`. With a trace, arcs are read one by one. */
static bool read_pieces(const reading *read, gp_data *data, size_t piece) {
  static const gp_trace trace = {GP_TRACE_ALL, take_line, NULL};
  gp_error error = {""};
  gp_read_options options = {.format = read->format,
                             .trace = read->traced ? &trace : NULL};
  gp_file_kind kind;
  prepare(read, data);
  fuzz_piece = piece;
  bool done = gp_data_read_open(data, read->from.file, &options, &kind, &error);
  fuzz_piece = 0;
  fuzz_check_error(done, &error);
  return done;
}

/* Adds the file to a sum twice. The second time may fail: counts can overflow. */
static void add_twice(const reading *read, const gp_data *once, bool readable) {
  gp_error error = {""};
  gp_data sum;
  gp_staging staging = {0};
  gp_file_kind kind;
  uint64_t times = 0;
  prepare(read, &sum);
  for (int i = 0; i < 2; i++) {
    gp_read_options options = {.format = read->format};
    bool done = gp_data_add_file(&sum, &staging, read->from.path, options, NULL, &kind,
                                 &error);
    fuzz_check_error(done, &error);
    FUZZ_HOLDS(times == 1 || done == readable);
    times += done;
    if (times > 0) FUZZ_HOLDS(fuzz_is_multiple(once, &sum, times));
    FUZZ_HOLDS(sum.stats.arc_records == times * once->stats.arc_records || times == 0);
  }
  if (!readable) FUZZ_HOLDS(sum.histogram_count + sum.arcs.count + sum.blocks.count == 0);
  gp_staging_free(&staging);
  gp_data_free(&sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[2];
  fuzz_parts(data, size, parts, 2);
  uint8_t choices = fuzz_byte(parts[0], 0), more = fuzz_byte(parts[0], 2);
  fuzz_part file = more & 1 ? fuzz_with_checksum(parts[1], choices & 1) : parts[1];
  reading read = {.layout = {.big_endian = choices & 1,
                             .pointer_size = choices & 2 ? 4 : 8,
                             .narrow_counts = choices & 128},
                  .format = choices & 64 ? GP_FORMAT_PROF : choices >> 2 & 3,
                  .from = fuzz_make_file(file, 0),
                  .mixed_rates = choices & 16, .traced = choices & 32,
                  .build_id_size = more >> 1 & 7};
  gp_data whole, pieces;
  bool done = read_whole(&read, &whole);
  FUZZ_HOLDS(read_pieces(&read, &pieces, fuzz_byte(parts[0], 1)) == done);
  if (done) {
    FUZZ_HOLDS(fuzz_is_multiple(&whole, &pieces, 1));
    FUZZ_HOLDS(whole.stats.bytes == parts[1].size && pieces.stats.bytes == parts[1].size);
    fuzz_check_data(&whole);
  }
  add_twice(&read, &whole, done);
  gp_data_free(&whole);
  gp_data_free(&pieces);
  return 0;
}
