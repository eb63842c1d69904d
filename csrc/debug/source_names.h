/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers for the names of source files, or of functions.
 *
 * Names are numbered from 0 in the order in which they are added. They are compared as
 * strings; the files need not exist.
 */
#ifndef GP_DEBUG_SOURCE_NAMES_H
#define GP_DEBUG_SOURCE_NAMES_H

#include "base/hash.h"

typedef struct gp_source_names {
  size_t count, capacity;
  char **name;
  gp_key *key;       /* of each name, in `index` */
  gp_hash index;
} gp_source_names;

/* Initializes an empty set, whose address must not change afterwards. */
void gp_source_names_init(gp_source_names *names);
void gp_source_names_free(gp_source_names *names);

/* Sets `*number` to the number of a name. Adds the name if it is new. False if there is
 * no memory. */
bool gp_source_names_add(gp_source_names *names, const char *name, uint32_t *number);

/* Returns the number of a name, or GP_NONE. Of different names with equal hashes, only
 * the first is found. */
uint32_t gp_source_names_find(const gp_source_names *names, const char *name);

#endif
