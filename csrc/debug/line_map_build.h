/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds a line map from an image's debugging information.
 *
 * Only the wanted code is mapped. The rest takes no memory and little time, so mapping a
 * few addresses of a large image is cheap.
 *
 * Each address gets the line that libbfd reports, except where libbfd is wrong:
 * - If a line table never sets the file number, libbfd uses the first file of the table.
 *   Since DWARF 5 the default is the second file. Functions from headers are often
 *   affected.
 * - libbfd cannot read a line table whose offset size differs from its unit's.
 * - If tables contradict each other, the first one counts: linkers keep the first copy of
 *   a function.
 * - A file that was found by several paths has one (source_paths.h).
 */
#ifndef GP_DEBUG_LINE_MAP_BUILD_H
#define GP_DEBUG_LINE_MAP_BUILD_H

#include "debug/line_map.h"
#include "object/image.h"

/* Maps the addresses in `count` ranges, which must be ascending and disjoint. Code
 * without a source line gets no row. With `as_libbfd` the map repeats libbfd's errors.
 * Damaged debugging information is treated as absent. False, with an empty map, only if
 * there is no memory. The address of the map must not change once it is built. */
bool gp_line_map_build(gp_line_map *map, const gp_image *image, bool as_libbfd,
                       const gp_range *ranges, size_t count, gp_error *error);

#endif
