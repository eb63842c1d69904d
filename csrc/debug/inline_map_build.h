/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Builds an inline map from an image's debugging information.
 *
 * Only the units with wanted code are read, and only their scopes with wanted code are
 * kept.
 */
#ifndef GP_DEBUG_INLINE_MAP_BUILD_H
#define GP_DEBUG_INLINE_MAP_BUILD_H

#include "debug/inline_map.h"
#include "object/image.h"

/* Maps the addresses in `count` ranges, which must be ascending and disjoint. With
 * `files`, also finds the files of calls and declarations. Damaged debugging information
 * is treated as absent, and counted in the map's `gaps`. Sets `*readable` to whether the
 * image has debugging information that we can read; if not, the map is empty. False, with
 * an empty map, only if there is no memory. The address of the map must not change once
 * it is built. */
bool gp_inline_map_build(gp_inline_map *map, const gp_image *image, bool files,
                         const gp_range *ranges, size_t count, bool *readable,
                         gp_error *error);

#endif
