/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which line of the source the code at an address comes from.
 *
 * A map of as much of the code as somebody wants to know about: stretches of one line
 * each, in address order, none overlapping another. What is not wanted takes neither
 * memory nor much time, so that a map of a few addresses is cheap however large the
 * image.
 *
 * The answer for any address is libbfd's, where libbfd is right. Since DWARF 5 it takes
 * the first file of a unit for code whose file the line table leaves at its default,
 * which is the second one: so it is with functions from headers, often. And it cannot
 * read tables whose offsets have another size than their unit's.
 */
#ifndef GP_DEBUG_LINE_MAP_H
#define GP_DEBUG_LINE_MAP_H

#include "base/range.h"
#include "debug/source_names.h"
#include "object/image.h"

typedef struct gp_line_map {
  /* per stretch: the code in [low, high), all of it wanted. Neighbours may be of one
   * line: they are rows of the table, and the function may change where they meet */
  size_t count, capacity;
  uint64_t *low, *high;
  uint32_t *file;       /* a number in `files` */
  uint32_t *line;       /* from 1 */
  gp_source_names files; /* of the stretches, as the debugging information spells them */
  bool split;         /* of some code compilers put more aside than libbfd knows of */
} gp_line_map;

/* Maps the addresses of `count` ranges, which ascend and do not overlap; `as_libbfd`:
 * with the faults above. What has no line is in no stretch. Only memory can be lacking:
 * bad debugging information is none. */
bool gp_line_map_read(gp_line_map *map, const gp_image *image, bool as_libbfd,
                      const gp_range *ranges, size_t count, gp_error *error);
void gp_line_map_free(gp_line_map *map);

/* The first of the stretches from `low` to `high` - 1 that ends above `address`;
 * `high` if none does. */
size_t gp_line_map_search(const gp_line_map *map, size_t low, size_t high,
                          uint64_t address);

/* The stretch that an address is in, or GP_NONE. */
uint32_t gp_line_map_find(const gp_line_map *map, uint64_t address);

/* For those who make maps: appends a stretch. False if there is no memory. */
bool gp_line_map_append(gp_line_map *map, gp_range range, uint32_t file, uint32_t line);

#endif
