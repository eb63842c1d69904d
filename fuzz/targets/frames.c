/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes the reader of inlined functions, with any byte order and pointer size.
 *
 * Parts: choices (layout, wanted addresses), and the sections. debugging.c replaces
 * libbfd.
 *
 * Properties: an inline map is sorted and has only wanted code; a scope follows the one
 * into which it was inlined. Time and memory are in proportion to the sections, whatever
 * sizes they claim; libFuzzer's limits check this.
 */
#include <stdlib.h>

#include "../debugging.h"
#include "../support.h"
#include "debug/inline_map_build.h"

enum { SECTIONS = 9 };
static const char *const sections[SECTIONS] = {
    ".debug_info",        ".debug_abbrev", ".debug_str",    ".debug_line_str",
    ".debug_str_offsets", ".debug_addr",   ".debug_ranges", ".debug_rnglists",
    ".debug_line"};

const size_t fuzz_part_count = 1 + SECTIONS;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_scopes(const gp_inline_map *map) {
  for (size_t i = 0; i < map->count; i++) {
    FUZZ_HOLDS(map->parent[i] == GP_NONE || map->parent[i] < i);
    FUZZ_HOLDS(map->function[i] == GP_NONE || map->function[i] < map->names.count);
    FUZZ_HOLDS(map->call_file[i] == GP_NONE || map->call_file[i] < map->files.count);
  }
}

static void check_segments(const gp_inline_map *map, const gp_range *ranges,
                           size_t count) {
  for (size_t i = 0; i < map->segment_count; i++) {
    size_t wanted = gp_range_above(ranges, count, map->low[i]);
    FUZZ_HOLDS(i == 0 || map->high[i - 1] <= map->low[i]);
    FUZZ_HOLDS(map->low[i] < map->high[i] && map->scope[i] < map->count);
    FUZZ_HOLDS(wanted < count && ranges[wanted].low <= map->low[i]);
    FUZZ_HOLDS(gp_inline_map_find(map, map->low[i]) == map->scope[i]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_part parts[1 + SECTIONS];
  gp_range ranges[FUZZ_MAX_RANGES];
  gp_image image;
  gp_error error = {""};
  gp_inline_map map;
  bool readable;
  fuzz_parts(data, size, parts, 1 + SECTIONS);
  fuzz_set_image(&image, fuzz_byte(parts[0], 0), sections, parts + 1, SECTIONS);
  size_t count = fuzz_choose_ranges(parts[0], 1, ranges);
  FUZZ_HOLDS(gp_inline_map_build(&map, &image, true, ranges, count, &readable, &error));
  fuzz_check_error(true, &error);
  FUZZ_HOLDS(readable || map.count == 0);
  check_scopes(&map);
  check_segments(&map, ranges, count);
  gp_inline_map_free(&map);
  return 0;
}
