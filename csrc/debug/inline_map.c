/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from addresses to functions of the source, inlined ones included. */
#include "debug/inline_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

void gp_inline_gaps_free(gp_inline_gaps *gaps) {
  free(gaps->first_missing);
  free(gaps->rejected);
  *gaps = (gp_inline_gaps){0};
}

void gp_inline_map_init(gp_inline_map *map) {
  memset(map, 0, sizeof *map);
  gp_source_names_init(&map->names);
  gp_source_names_init(&map->files);
}

void gp_inline_map_free(gp_inline_map *map) {
  free(map->parent);
  free(map->function);
  free(map->entry);
  free(map->call_file);
  free(map->call_line);
  free(map->call_discriminator);
  free(map->decl_file);
  free(map->decl_line);
  free(map->low);
  free(map->high);
  free(map->scope);
  gp_source_names_free(&map->names);
  gp_source_names_free(&map->files);
  gp_inline_gaps_free(&map->gaps);
  gp_inline_map_init(map);
}

bool gp_inline_map_add_scope(gp_inline_map *map, uint32_t parent, uint32_t function,
                             uint64_t entry) {
  if (!GP_RESERVE(&map->capacity, map->count + 1, GP_COLUMN(map->parent),
                  GP_COLUMN(map->function), GP_COLUMN(map->entry),
                  GP_COLUMN(map->call_file), GP_COLUMN(map->call_line),
                  GP_COLUMN(map->call_discriminator), GP_COLUMN(map->decl_file),
                  GP_COLUMN(map->decl_line)))
    return false;
  size_t row = map->count++;
  map->parent[row] = parent;
  map->function[row] = function;
  map->entry[row] = entry;
  map->call_file[row] = GP_NONE;
  map->call_line[row] = 0;
  map->call_discriminator[row] = 0;
  map->decl_file[row] = GP_NONE;
  map->decl_line[row] = 0;
  return true;
}

bool gp_inline_map_add_segment(gp_inline_map *map, gp_range range, uint32_t scope) {
  size_t row = map->segment_count;
  if (row > 0 && map->high[row - 1] == range.low && map->scope[row - 1] == scope) {
    map->high[row - 1] = range.high;
    return true;
  }
  if (!GP_RESERVE(&map->segment_capacity, row + 1, GP_COLUMN(map->low),
                  GP_COLUMN(map->high), GP_COLUMN(map->scope)))
    return false;
  map->low[row] = range.low;
  map->high[row] = range.high;
  map->scope[row] = scope;
  map->segment_count++;
  return true;
}

/* --- two maps ------------------------------------------------------------------- */

/* Adds names with a suffix. Returns their numbers; NULL if there is no memory. */
static uint32_t *add_names(gp_source_names *names, const gp_source_names *other,
                           const char *suffix) {
  uint32_t *number = gp_column(other->count, sizeof *number);
  for (size_t i = 0; number && i < other->count; i++) {
    char *name;
    if (asprintf(&name, "%s%s", other->name[i], suffix) < 0) name = NULL;
    if (!name || !gp_source_names_add(names, name, &number[i])) {
      free(number);
      number = NULL;
    }
    free(name);
  }
  return number;
}

static uint32_t renumbered(const uint32_t *number, uint32_t old) {
  return old == GP_NONE ? GP_NONE : number[old];
}

static bool append_scopes(gp_inline_map *map, const gp_inline_map *other, uint64_t slide,
                          const uint32_t *name, const uint32_t *file) {
  uint32_t first = (uint32_t)map->count;
  if (other->count >= UINT32_MAX - map->count) return false;
  for (size_t i = 0; i < other->count; i++) {
    uint32_t parent = other->parent[i];
    uint64_t entry = other->entry[i];
    if (!gp_inline_map_add_scope(map, parent == GP_NONE ? GP_NONE : first + parent,
                                 renumbered(name, other->function[i]),
                                 entry == UINT64_MAX ? entry : entry + slide))
      return false;
    map->call_file[first + i] = renumbered(file, other->call_file[i]);
    map->call_line[first + i] = other->call_line[i];
    map->call_discriminator[first + i] = other->call_discriminator[i];
    map->decl_file[first + i] = renumbered(file, other->decl_file[i]);
    map->decl_line[first + i] = other->decl_line[i];
  }
  return true;
}

bool gp_inline_map_append(gp_inline_map *map, const gp_inline_map *other, uint64_t slide,
                          const char *suffix) {
  uint32_t first = (uint32_t)map->count;
  uint32_t *name = add_names(&map->names, &other->names, suffix);
  uint32_t *file = add_names(&map->files, &other->files, "");
  bool done = name && file && append_scopes(map, other, slide, name, file);
  for (size_t i = 0; done && i < other->segment_count; i++) {
    gp_range range = {other->low[i] + slide, other->high[i] + slide};
    done = gp_inline_map_add_segment(map, range, first + other->scope[i]);
  }
  free(name);
  free(file);
  return done;
}

/* --- lookup ---------------------------------------------------------------------- */

static bool ends_before(const void *map, size_t row, uint64_t address) {
  return ((const gp_inline_map *)map)->high[row] <= address;
}

uint32_t gp_inline_map_find(const gp_inline_map *map, uint64_t address) {
  size_t row = gp_search(map, 0, map->segment_count, address, ends_before);
  return row < map->segment_count && map->low[row] <= address ? map->scope[row] : GP_NONE;
}

uint64_t gp_inline_map_end(const gp_inline_map *map, uint64_t address) {
  size_t row = gp_search(map, 0, map->segment_count, address, ends_before);
  if (row == map->segment_count) return UINT64_MAX;
  return map->low[row] <= address ? map->high[row] : map->low[row];
}
