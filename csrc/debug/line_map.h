/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A map from addresses to source lines.
 *
 * Each row is a range of code that comes from one source line. Rows are in address order
 * and disjoint: addresses are looked up by binary search. line_map_build.h builds the map
 * of an image.
 */
#ifndef GP_DEBUG_LINE_MAP_H
#define GP_DEBUG_LINE_MAP_H

#include "base/range.h"
#include "debug/source_names.h"

typedef struct gp_line_map {
  /* per row: the code in [low, high) and its line. Adjacent rows may have the same line,
   * for instance where the function changes */
  size_t count, capacity;
  uint64_t *low, *high;
  uint32_t *file;         /* number of the file in `names` */
  uint32_t *line;         /* from 1 */
  gp_source_names names;  /* names of the files */
  bool costly;            /* libbfd would need too much time, and must not be asked */
} gp_line_map;

/* Initializes an empty map, whose address must not change afterwards. */
void gp_line_map_init(gp_line_map *map);
void gp_line_map_free(gp_line_map *map);

/* Appends a row. Its range must begin at or above the end of the last row. False if there
 * is no memory. */
bool gp_line_map_append(gp_line_map *map, gp_range range, uint32_t file, uint32_t line);

/* Returns the first of rows `low` to `high` - 1 that ends above `address`; `high` if none
 * does. */
size_t gp_line_map_search(const gp_line_map *map, size_t low, size_t high,
                          uint64_t address);

/* Returns the row that contains an address, or GP_NONE. */
uint32_t gp_line_map_find(const gp_line_map *map, uint64_t address);

#endif
