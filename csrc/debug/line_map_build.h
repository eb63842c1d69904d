/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds a line map from an image's debugging information.
 *
 * Only the wanted code is mapped. The rest takes no memory and little time, so a map of a
 * few addresses is cheap however large the image.
 *
 * Each address gets the line that libbfd reports, except where libbfd is wrong. For code
 * whose file number the line table never sets, libbfd takes the first file of the unit;
 * since DWARF 5 the default is the second one. Functions from headers are often affected.
 * And libbfd cannot read a line table whose offset size differs from its unit's.
 */
#ifndef GP_DEBUG_LINE_MAP_BUILD_H
#define GP_DEBUG_LINE_MAP_BUILD_H

#include "debug/line_map.h"
#include "object/image.h"

/* Maps the addresses in `count` ranges, which ascend and are disjoint. Code without a
 * line has no row. With `as_libbfd` the map has libbfd's faults. Fails only if there is
 * no memory: damaged debugging information counts as absent. After a failure the map is
 * empty. Its address must not change once it is built. */
bool gp_line_map_build(gp_line_map *map, const gp_image *image, bool as_libbfd,
                       const gp_range *ranges, size_t count, gp_error *error);

#endif
