/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the reader of line tables, with any byte order and pointer size.
 *
 * Parts: choices (layout, as_libbfd, wanted addresses), and the sections. debugging.c
 * replaces libbfd.
 *
 * Properties: a table has at most as many rows as bytes. The file of every row has a
 * name. A line map is sorted and has only wanted code. Time and memory are in proportion
 * to the sections, whatever sizes they claim; libFuzzer's limits check this.
 */
#include <stdlib.h>

#include "../debugging.h"
#include "../support.h"
#include "debug/line_map_build.h"
#include "debug/line_tables.h"

enum { SECTIONS = 6 };
static const char *const sections[SECTIONS] = {
    ".debug_info", ".debug_abbrev",   ".debug_line",
    ".debug_str",  ".debug_line_str", ".debug_str_offsets"};

const size_t fuzz_part_count = 1 + SECTIONS;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(gp_line_program *program, uint64_t number) {
  char *name = gp_line_program_file(program, number);
  FUZZ_HOLDS(name);
  free(name);
}

/* Checks the rows of the current table. */
static void check_table(gp_line_program *program) {
  const gp_line_row *row;
  size_t rows = 0, size = gp_line_program_size(program);
  uint64_t named = UINT64_MAX;
  while ((row = gp_line_program_next(program)) != NULL) {
    FUZZ_HOLDS(++rows <= size);
    if (row->file == named) continue;
    named = row->file;
    if (rows < 100) check_name(program, named);
  }
  FUZZ_HOLDS(gp_line_program_next(program) == NULL);
  FUZZ_HOLDS(gp_line_program_file_count(program) <= size + 1);
  check_name(program, gp_line_program_first_file(program));
  check_name(program, gp_line_program_file_count(program) - 1);
  check_name(program, gp_line_program_file_count(program));
}

static void check_tables(const gp_image *image) {
  gp_line_tables tables;
  bool readable, failed = false;
  FUZZ_HOLDS(gp_line_tables_open(&tables, image, &readable));
  while (gp_line_tables_next(&tables, &failed)) check_table(&tables.program);
  FUZZ_HOLDS(!failed);
  gp_line_tables_free(&tables);
}

/* Whether [low, high) is within a wanted range. */
static bool is_wanted(const gp_range *ranges, size_t count, uint64_t low, uint64_t high) {
  size_t i = gp_range_above(ranges, count, low);
  return i < count && ranges[i].low <= low && high <= ranges[i].high;
}

static void check_map(const gp_image *image, fuzz_part choices) {
  gp_range ranges[FUZZ_MAX_RANGES];
  gp_error error = {""};
  gp_line_map map;
  size_t count = fuzz_choose_ranges(choices, 2, ranges);
  bool as_libbfd = fuzz_byte(choices, 1) & 1;
  FUZZ_HOLDS(gp_line_map_build(&map, image, as_libbfd, ranges, count, &error));
  fuzz_check_error(true, &error);
  for (size_t i = 0; i < map.count; i++) {
    FUZZ_HOLDS(i == 0 || map.high[i - 1] <= map.low[i]);
    FUZZ_HOLDS(map.low[i] < map.high[i]);
    FUZZ_HOLDS(is_wanted(ranges, count, map.low[i], map.high[i]));
    FUZZ_HOLDS(map.file[i] < map.names.count && map.line[i] > 0);
    FUZZ_HOLDS(gp_line_map_find(&map, map.low[i]) == i);
  }
  gp_line_map_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[1 + SECTIONS];
  gp_image image;
  fuzz_parts(data, size, parts, 1 + SECTIONS);
  fuzz_set_image(&image, fuzz_byte(parts[0], 0), sections, parts + 1, SECTIONS);
  check_tables(&image);
  check_map(&image, parts[0]);
  return 0;
}
