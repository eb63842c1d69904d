/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds rows by key: open addressing, linear probing, at most two thirds full. */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Spreads a number over all bits (the finalizer of MurmurHash3): addresses differ in
 * their middle bits only. */
static uint64_t spread(uint64_t h) {
  h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
  h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ h >> 33;
}

void gp_hash_init(gp_hash *index, gp_key_of *key_of, const void *columns) {
  memset(index, 0, sizeof *index);
  index->key_of = key_of;
  index->columns = columns;
  index->seed = spread((uintptr_t)columns);  /* where that is, is a matter of chance */
}

void gp_hash_free(gp_hash *index) {
  free(index->slots);
  index->slots = NULL;
  index->size = index->used = 0;
}

gp_key gp_bytes_key(const char *text, size_t length) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);  /* FNV-1a */
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return (gp_key){h, length};
}

static size_t hash(const gp_hash *index, gp_key key) {
  return (size_t)spread(spread(key.first ^ index->seed) ^ key.second);
}

/* The slot of `key`, or the free one where it would go. */
static size_t probe(const gp_hash *index, gp_key key) {
  size_t slot = hash(index, key) & (index->size - 1);
  for (;;) {
    uint32_t row = index->slots[slot];
    if (row == GP_NONE) return slot;
    gp_key other = index->key_of(index->columns, row);
    if (other.first == key.first && other.second == key.second) return slot;
    slot = (slot + 1) & (index->size - 1);
  }
}

uint32_t gp_hash_find(const gp_hash *index, gp_key key) {
  return index->size ? index->slots[probe(index, key)] : GP_NONE;
}

static bool grow(gp_hash *index) {
  gp_hash bigger = *index;
  bigger.size = index->size ? index->size * 2 : 64;
  if (bigger.size > SIZE_MAX / sizeof *bigger.slots) return false;
  bigger.slots = malloc(bigger.size * sizeof *bigger.slots);
  if (!bigger.slots) return false;
  memset(bigger.slots, 0xff, bigger.size * sizeof *bigger.slots);
  for (size_t i = 0; i < index->size; i++) {
    uint32_t row = index->slots[i];
    if (row != GP_NONE)
      bigger.slots[probe(&bigger, index->key_of(index->columns, row))] = row;
  }
  free(index->slots);
  *index = bigger;
  return true;
}

bool gp_hash_reserve(gp_hash *index, size_t more) {
  while (index->used + more > index->size / 3 * 2)
    if (!grow(index)) return false;
  return true;
}

bool gp_hash_add(gp_hash *index, uint32_t row) {
  if (!gp_hash_reserve(index, 1)) return false;
  index->slots[probe(index, index->key_of(index->columns, row))] = row;
  index->used++;
  return true;
}
