/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from addresses to source lines. */
#include "debug/line_map.h"

#include <string.h>

#include "base/array.h"
#include "base/search.h"

void gp_line_map_init(gp_line_map *map) {
  memset(map, 0, sizeof *map);
  gp_source_names_init(&map->names);
}

void gp_line_map_free(gp_line_map *map) {
  free(map->low);
  free(map->high);
  free(map->file);
  free(map->line);
  gp_source_names_free(&map->names);
  gp_line_map_init(map);
}

bool gp_line_map_append(gp_line_map *map, gp_range range, uint32_t file, uint32_t line) {
  if (!GP_RESERVE(&map->capacity, map->count + 1, GP_COLUMN(map->low),
                  GP_COLUMN(map->high), GP_COLUMN(map->file), GP_COLUMN(map->line)))
    return false;
  map->low[map->count] = range.low;
  map->high[map->count] = range.high;
  map->file[map->count] = file;
  map->line[map->count++] = line;
  return true;
}

static bool ends_before(const void *map, size_t row, uint64_t address) {
  return ((const gp_line_map *)map)->high[row] <= address;
}

size_t gp_line_map_search(const gp_line_map *map, size_t low, size_t high,
                          uint64_t address) {
  return gp_search(map, low, high, address, ends_before);
}

uint32_t gp_line_map_find(const gp_line_map *map, uint64_t address) {
  size_t above = gp_line_map_search(map, 0, map->count, address);
  return above < map->count && map->low[above] <= address ? (uint32_t)above : GP_NONE;
}
