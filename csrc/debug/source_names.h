/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of source files, each with a number.
 *
 * Files are numbered from 0 in the order in which they are met. Two of one name are one
 * file: names are what debugging information spells them, nothing is looked at on disk.
 */
#ifndef GP_DEBUG_SOURCE_NAMES_H
#define GP_DEBUG_SOURCE_NAMES_H

#include "base/hash.h"

typedef struct gp_source_names {
  size_t count, capacity;
  char **name;
  gp_hash index;
} gp_source_names;

/* No files. Its address must not change from here on. */
void gp_source_names_init(gp_source_names *files);
void gp_source_names_free(gp_source_names *files);

/* The number of a file, given when it is met first. False if there is no memory. */
bool gp_source_names_add(gp_source_names *files, const char *name, uint32_t *number);

#endif
