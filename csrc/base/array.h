/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Growable arrays.
 *
 * The core stores tables by column: each column is a plain C array, and all columns of
 * a table have the same length. These helpers allocate and grow columns. They check every
 * multiplication, so a size read from a file cannot overflow.
 */
#ifndef GP_BASE_ARRAY_H
#define GP_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Allocates `count` zeroed items of `size` bytes; free() them. Returns NULL only if there
 * is no memory; a count of 0 also allocates a block. */
static inline void *gp_column(size_t count, size_t size) {
  return calloc(count ? count : 1, size);
}

/* Returns the new capacity for an array that must hold `needed` items. The capacity grows
 * by at least half, so appending takes amortized constant time. */
static inline size_t gp_capacity(size_t capacity, size_t needed) {
  size_t grown = capacity + capacity / 2 + 16;
  return grown < needed ? needed : grown;
}

/* Reallocates a column to `capacity` items of `size` bytes. `column` is the address of
 * the pointer to its items. Returns false, with the column unchanged, if there is not
 * enough memory. */
static inline bool gp_resize(void *column, size_t capacity, size_t size) {
  void *items;  /* copied by memcpy: casting T ** to void ** breaks strict aliasing */
  if (capacity == 0) capacity = 1;
  if (capacity > SIZE_MAX / size) return false;
  memcpy(&items, column, sizeof items);
  /* cppcheck-suppress memleakOnRealloc ; *column still points to the old items */
  items = realloc(items, capacity * size);
  if (!items) return false;
  memcpy(column, &items, sizeof items);
  return true;
}

/* A column that gp_grow resizes: the address of the pointer to its items, and their
 * size. */
typedef struct gp_growing_column {
  void *column;
  size_t size;  /* bytes per item */
} gp_growing_column;

#define GP_COLUMN(column) {&(column), sizeof *(column)}

/* Grows all columns of a table to hold at least `needed` rows. Row numbers are 32 bits
 * wide, so a table holds fewer than UINT32_MAX rows. Returns false, with *capacity
 * unchanged, if there is not enough memory or there would be too many rows. */
static inline bool gp_grow(size_t *capacity, size_t needed,
                           const gp_growing_column *columns, size_t count) {
  size_t room = gp_capacity(*capacity, needed);
  if (room >= UINT32_MAX) return false;
  for (size_t i = 0; i < count; i++)
    if (!gp_resize(columns[i].column, room, columns[i].size)) return false;
  *capacity = room;
  return true;
}

/* Grows the columns of a table if they hold fewer than `needed` rows:
 *   GP_RESERVE(&calls->capacity, calls->count + 1,
 *              GP_COLUMN(calls->caller), GP_COLUMN(calls->callee))
 * Returns true if the columns need not grow, else the result of gp_grow. This is a macro
 * so that the list of columns is built only if it is needed. */
#define GP_RESERVE(capacity, needed, ...)                                   \
  ((needed) <= *(capacity) ||                                               \
   gp_grow((capacity), (needed), (const gp_growing_column[]){__VA_ARGS__},  \
           sizeof(const gp_growing_column[]){__VA_ARGS__} / sizeof(gp_growing_column)))

#endif
