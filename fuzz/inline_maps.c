/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The properties of inline maps. */
#include "inline_maps.h"

#include "debug/inline_map_build.h"

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

void fuzz_check_inline_map(const gp_image *image, fuzz_part choices) {
  gp_range ranges[FUZZ_MAX_RANGES];
  gp_error error = {""};
  gp_inline_map map;
  bool readable;
  size_t count = fuzz_choose_ranges(choices, 1, ranges);
  FUZZ_HOLDS(gp_inline_map_build(&map, image, true, ranges, count, &readable, &error));
  fuzz_check_error(true, &error);
  FUZZ_HOLDS(readable || map.count == 0);
  check_scopes(&map);
  check_segments(&map, ranges, count);
  gp_inline_map_free(&map);
}
