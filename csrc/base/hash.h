/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hash index from keys to row numbers.
 *
 * The rows are stored in the caller's columns. The index stores only row numbers and gets
 * the key of a row from a callback, so keys are not stored twice. A key is a pair of
 * 64-bit numbers.
 *
 * This is the hash for keys. Files have a CRC-32 (base/crc32), and what others must be
 * able to verify has a SHA-256 (lua/gprof/format/sha256).
 */
#ifndef GP_BASE_HASH_H
#define GP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The row number that means "no such row", in every table of the core. */
#define GP_NONE UINT32_MAX

typedef struct gp_key {
  uint64_t first, second;
} gp_key;

/* A hash of bytes: for a seed, the same in every process, on machines of the same byte
 * order. With a known seed, texts with equal hashes can be made. */
uint64_t gp_hash_bytes(uint64_t seed, const char *bytes, size_t length);

/* A key for text: a hash, which differs from process to process so that no file can force
 * equal ones, and the length. Different texts can have equal keys by chance, so compare
 * the texts where it matters. */
gp_key gp_bytes_key(const char *text, size_t length);

/* Mixes all bits: addresses differ mostly in their middle bits. This is the finalizer of
 * MurmurHash3. */
static inline uint64_t gp_mix(uint64_t h) {
  h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
  h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ h >> 33;
}

static inline gp_key gp_text_key(const char *text) {
  return gp_bytes_key(text, strlen(text));
}

/* A callback that returns the key of row `row` of `columns`. */
typedef gp_key gp_key_of(const void *columns, uint32_t row);

/* A slot has the lower bits of its key's hash, so that most other keys in its way, and
 * all keys when the index grows, need not be looked at. */
typedef struct gp_hash_slot {
  uint32_t hash;
  uint32_t row;     /* GP_NONE if the slot is free */
} gp_hash_slot;

typedef struct gp_hash {
  gp_hash_slot *slots;
  size_t size;      /* number of slots: 0 or a power of two */
  size_t used;
  uint64_t seed;    /* random, so that no file can force collisions */
  gp_key_of *key_of;
  const void *columns;
} gp_hash;

/* Initializes an empty index over `columns`, whose address must not change. */
void gp_hash_init(gp_hash *hash, gp_key_of *key_of, const void *columns);
void gp_hash_free(gp_hash *hash);

/* Returns the row with this key, or GP_NONE. */
uint32_t gp_hash_find(const gp_hash *hash, gp_key key);

/* Starts to load the slot of a key that is looked up soon. A large index is not in the
 * processor's caches. */
void gp_hash_prefetch(const gp_hash *hash, gp_key key);

/* Reserves space for `more` additional rows. False if there is no memory. */
bool gp_hash_reserve(gp_hash *hash, size_t more);

/* Adds a row whose key is not in the index. False if there is no memory; never fails
 * after gp_hash_reserve for this row. */
bool gp_hash_add(gp_hash *hash, uint32_t row);

#endif
