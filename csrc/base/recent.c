/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys that were added last, each with a number. */
#include "base/recent.h"

#include <stdlib.h>

#include "base/array.h"

static gp_key key_of(const void *columns, uint32_t row) {
  return ((const gp_recent_keys *)columns)->keys[row];
}

static void init_keys(gp_recent_keys *keys) {
  memset(keys, 0, sizeof *keys);
  gp_hash_init(&keys->index, key_of, keys);
}

static void free_keys(gp_recent_keys *keys) {
  free(keys->keys);
  free(keys->numbers);
  gp_hash_free(&keys->index);
}

void gp_recent_init(gp_recent *recent) {
  for (int i = 0; i < 2; i++) init_keys(&recent->generations[i]);
  recent->younger = 0;
}

void gp_recent_free(gp_recent *recent) {
  for (int i = 0; i < 2; i++) free_keys(&recent->generations[i]);
}

bool gp_recent_find(const gp_recent *recent, gp_key key, uint32_t *number) {
  for (int i = 0; i < 2; i++) {
    const gp_recent_keys *keys = &recent->generations[i];
    uint32_t row = gp_hash_find(&keys->index, key);
    if (row != GP_NONE) {
      *number = keys->numbers[row];
      return true;
    }
  }
  return false;
}

bool gp_recent_add(gp_recent *recent, gp_key key, uint32_t number) {
  gp_recent_keys *keys = &recent->generations[recent->younger];
  if (keys->count == GP_RECENT) {
    recent->younger = 1 - recent->younger;
    keys = &recent->generations[recent->younger];
    free_keys(keys);
    init_keys(keys);
  }
  if (!GP_RESERVE(&keys->capacity, keys->count + 1, GP_COLUMN(keys->keys),
                  GP_COLUMN(keys->numbers)))
    return false;
  keys->keys[keys->count] = key;
  keys->numbers[keys->count] = number;
  if (!gp_hash_add(&keys->index, (uint32_t)keys->count)) return false;
  keys->count++;
  return true;
}
