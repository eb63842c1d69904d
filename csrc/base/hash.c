/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash index from keys to row numbers: open addressing, linear probing, at most two
 * thirds full. */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void gp_hash_init(gp_hash *hash, gp_key_of *key_of, const void *columns) {
  memset(hash, 0, sizeof *hash);
  hash->key_of = key_of;
  hash->columns = columns;
  hash->seed = gp_mix((uintptr_t)columns);  /* varies with address-space randomization */
}

void gp_hash_free(gp_hash *hash) {
  free(hash->slots);
  hash->slots = NULL;
  hash->size = hash->used = 0;
}

/* Adds eight bytes to a hash. Multiplies twice: a change of the highest bit survives one
 * multiplication, so it could be cancelled by the next bytes. */
static uint64_t add_bytes(uint64_t h, const char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
  return (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
}

/* If the length is not a multiple of eight, the last eight bytes overlap the ones before
 * them. */
uint64_t gp_hash_bytes(uint64_t seed, const char *bytes, size_t length) {
  uint64_t h = gp_mix(seed + length);
  if (length < 8) {
    char padded[8] = "";
    for (size_t i = 0; i < length; i++) padded[i] = bytes[i];
    return add_bytes(h, padded);
  }
  const char *last = bytes + length - 8;
  for (; bytes < last; bytes += 8) h = add_bytes(h, bytes);
  return add_bytes(h, last);
}

gp_key gp_bytes_key(const char *text, size_t length) {
  static const char place = 0;  /* varies with address-space randomization */
  return (gp_key){gp_hash_bytes((uintptr_t)&place, text, length), length};
}

static uint32_t hash_key(const gp_hash *hash, gp_key key) {
  return (uint32_t)gp_mix(gp_mix(key.first ^ hash->seed) ^ key.second);
}

/* Returns the slot of `key`, or the free slot where it would be added. */
static gp_hash_slot *probe(const gp_hash *hash, gp_key key, uint32_t value) {
  for (size_t slot = value;; slot++) {
    gp_hash_slot *at = &hash->slots[slot & (hash->size - 1)];
    if (at->row == GP_NONE) return at;
    if (at->hash != value) continue;
    gp_key other = hash->key_of(hash->columns, at->row);
    if (other.first == key.first && other.second == key.second) return at;
  }
}

uint32_t gp_hash_find(const gp_hash *hash, gp_key key) {
  return hash->size ? probe(hash, key, hash_key(hash, key))->row : GP_NONE;
}

void gp_hash_prefetch(const gp_hash *hash, gp_key key) {
  if (hash->size == 0) return;
  __builtin_prefetch(&hash->slots[hash_key(hash, key) & (hash->size - 1)]);
}

/* Copies a slot into the first free slot for its hash. */
static void place(const gp_hash *hash, gp_hash_slot slot) {
  size_t at = slot.hash & (hash->size - 1);
  while (hash->slots[at].row != GP_NONE) at = (at + 1) & (hash->size - 1);
  hash->slots[at] = slot;
}

static bool grow(gp_hash *hash) {
  gp_hash bigger = *hash;
  bigger.size = hash->size ? hash->size * 2 : 64;
  if (bigger.size > SIZE_MAX / sizeof *bigger.slots) return false;
  bigger.slots = malloc(bigger.size * sizeof *bigger.slots);
  if (!bigger.slots) return false;
  memset(bigger.slots, 0xff, bigger.size * sizeof *bigger.slots);
  for (size_t i = 0; i < hash->size; i++)
    if (hash->slots[i].row != GP_NONE) place(&bigger, hash->slots[i]);
  free(hash->slots);
  *hash = bigger;
  return true;
}

bool gp_hash_reserve(gp_hash *hash, size_t more) {
  while (hash->used + more > hash->size / 3 * 2)
    if (!grow(hash)) return false;
  return true;
}

bool gp_hash_add(gp_hash *hash, uint32_t row) {
  if (!gp_hash_reserve(hash, 1)) return false;
  uint32_t value = hash_key(hash, hash->key_of(hash->columns, row));
  place(hash, (gp_hash_slot){value, row});
  hash->used++;
  return true;
}
