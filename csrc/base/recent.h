/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys that were added last, each with a number.
 *
 * Memory is limited: of more than GP_RECENT keys, the oldest may be forgotten. It has two
 * generations of keys. When the younger one is full, the older one is dropped, and the
 * younger one takes its place.
 */
#ifndef GP_BASE_RECENT_H
#define GP_BASE_RECENT_H

#include "base/hash.h"

/* The number of keys of a generation: at least this many are remembered, at most twice as
 * many. Two full generations take about 15 MB. */
#define GP_RECENT ((size_t)1 << 17)

typedef struct gp_recent_keys {
  size_t count, capacity;
  gp_key *keys;
  uint32_t *numbers;
  gp_hash index;
} gp_recent_keys;

typedef struct gp_recent {
  gp_recent_keys generations[2];
  unsigned younger;       /* the number of the younger generation */
} gp_recent;

/* Initializes an empty set. Its address must not change. */
void gp_recent_init(gp_recent *recent);
void gp_recent_free(gp_recent *recent);

/* Finds a key, and sets *number. */
bool gp_recent_find(const gp_recent *recent, gp_key key, uint32_t *number);

/* Adds a key that is not in the set. False if there is no memory. */
bool gp_recent_add(gp_recent *recent, gp_key key, uint32_t number);

#endif
