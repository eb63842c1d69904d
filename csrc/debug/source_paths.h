/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers for the paths of source files.
 *
 * A compiler that finds a header by two paths, such as "a/../x.h" and "b/../x.h", records
 * both. Such paths are shortened, so that a file has one path and one number.
 */
#ifndef GP_DEBUG_SOURCE_PATHS_H
#define GP_DEBUG_SOURCE_PATHS_H

#include "debug/source_names.h"

typedef struct gp_source_paths {
  gp_source_names *names;    /* the caller's: takes the shortened paths */
  bool as_recorded;          /* paths are not shortened */
  gp_source_names recorded;  /* those that were shortened: each is shortened once, */
  size_t capacity;
  uint32_t *number;          /* and has this number in `names` */
} gp_source_paths;

/* Initializes an empty set, whose address must not change afterwards. */
void gp_source_paths_init(gp_source_paths *paths, gp_source_names *names,
                          bool as_recorded);
void gp_source_paths_free(gp_source_paths *paths);

/* Sets `*number` to the number of a path in `names`. Adds the path if it is new. False if
 * there is no memory. */
bool gp_source_paths_add(gp_source_paths *paths, const char *path, uint32_t *number);

/* Shortens a path in place. Removes ".", empty components, and ".." with the directory
 * before it. After a symbolic link, ".." stays: it leads to the directory above the
 * link's target. If the directory does not exist on this system, it is not a link. */
void gp_source_path_shorten(char *path);

#endif
