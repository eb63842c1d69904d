/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds rows by key.
 *
 * A hash index over rows that somebody else keeps in columns. It stores row
 * numbers only, and asks for the key of a row when it compares or grows: the
 * keys are not held twice. A key is a pair of 64-bit numbers.
 */
#ifndef GP_BASE_HASH_H
#define GP_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* No such row; also the number of a symbol, arc or cycle that is none. */
#define GP_NONE UINT32_MAX

typedef struct gp_key {
  uint64_t first, second;
} gp_key;

/* A key for text: a hash and the length, so that equal texts have equal keys. Whether
 * texts of equal keys are equal has to be looked at where it matters. */
gp_key gp_bytes_key(const char *text, size_t length);

static inline gp_key gp_text_key(const char *text) {
  return gp_bytes_key(text, strlen(text));
}

/* The key of row `row` of the columns behind `columns`. */
typedef gp_key gp_key_of(const void *columns, uint32_t row);

typedef struct gp_hash {
  uint32_t *slots;  /* row numbers, GP_NONE where free; a power of two of them */
  size_t size;
  size_t used;
  uint64_t seed;    /* of the hash: no file can know which keys would have one slot */
  gp_key_of *key_of;
  const void *columns;
} gp_hash;

/* An empty index over `columns`, whose address must not change. */
void gp_hash_init(gp_hash *index, gp_key_of *key_of, const void *columns);
void gp_hash_free(gp_hash *index);

/* The row with that key, or GP_NONE. */
uint32_t gp_hash_find(const gp_hash *index, gp_key key);

/* Makes room for that many rows more. False if there is no memory. */
bool gp_hash_reserve(gp_hash *index, size_t more);

/* Enters a row whose key is not in the index. False if there is no memory: never if room
 * was made for it. */
bool gp_hash_add(gp_hash *index, uint32_t row);

#endif
