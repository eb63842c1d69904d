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

typedef struct gp_files {
  size_t count, capacity;
  char **name;
  gp_index index;
} gp_files;

/* No files. Its address must not change from here on. */
void gp_files_init(gp_files *files);
void gp_files_free(gp_files *files);

/* The number of a file, given when it is met first. False if there is no memory. */
bool gp_files_add(gp_files *files, const char *name, uint32_t *number);

#endif
