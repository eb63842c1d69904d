/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which line of the source the code at an address comes from. */
#include "linemap.h"

#include <string.h>

#include "array.h"

static bool make_room(gp_linemap *map) {
  if (map->count < map->capacity) return true;
  size_t room = gp_capacity(map->capacity, map->count + 1);
  if (!gp_resize(&map->low, room, sizeof *map->low) ||
      !gp_resize(&map->high, room, sizeof *map->high) ||
      !gp_resize(&map->file, room, sizeof *map->file) ||
      !gp_resize(&map->line, room, sizeof *map->line))
    return false;
  map->capacity = room;
  return true;
}

/* Appends an address, to the last stretch if that is of the same line and ends here. */
static bool append(gp_linemap *map, uint64_t address, uint32_t file, uint32_t line) {
  size_t last = map->count - 1;
  if (map->count > 0 && map->high[last] == address && map->file[last] == file &&
      map->line[last] == line) {
    map->high[last]++;
    return true;
  }
  if (!make_room(map)) return false;
  map->low[map->count] = address;
  map->high[map->count] = address + 1;
  map->file[map->count] = file;
  map->line[map->count++] = line;
  return true;
}

/* Asks libbfd about every address: for what nobody else knows how to read. */
static bool walk(gp_linemap *map, const gp_image *image, gp_range range) {
  for (uint64_t address = range.low; address < range.high; address++) {
    gp_source source;
    uint32_t file;
    if (!gp_image_source(image, address, &source)) continue;
    if (!gp_files_add(&map->files, source.file, &file) ||
        !append(map, address, file, source.line))
      return false;
  }
  return true;
}

bool gp_linemap_read(gp_linemap *map, const gp_image *image, const gp_range *ranges,
                     size_t count, gp_error *error) {
  memset(map, 0, sizeof *map);
  gp_files_init(&map->files);
  for (size_t i = 0; i < count; i++) {
    if (walk(map, image, ranges[i])) continue;
    gp_linemap_free(map);
    return gp_fail_memory(error);
  }
  return true;
}

void gp_linemap_free(gp_linemap *map) {
  free(map->low);
  free(map->high);
  free(map->file);
  free(map->line);
  gp_files_free(&map->files);
  memset(map, 0, sizeof *map);
}

size_t gp_linemap_above(const gp_linemap *map, uint64_t address) {
  size_t low = 0, high = map->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (map->high[middle] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint32_t gp_linemap_find(const gp_linemap *map, uint64_t address) {
  size_t above = gp_linemap_above(map, address);
  return above < map->count && map->low[above] <= address ? (uint32_t)above : GP_NONE;
}
