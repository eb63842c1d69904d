/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Growable columns.
 *
 * The core keeps its data in columns: plain C arrays, of which several often
 * share one length. These helpers allocate and grow them with every
 * multiplication checked, so that no size that comes out of a file can wrap.
 */
#ifndef GP_BASE_ARRAY_H
#define GP_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A new column of `count` zeroed items of `size` bytes, or NULL. It is never
 * NULL for a count of 0. Freed with free(). */
static inline void *gp_column(size_t count, size_t size) {
  return calloc(count ? count : 1, size);
}

/* The capacity to which an array that holds `capacity` items should grow so
 * that `needed` fit: half as much again, so that appending is linear. */
static inline size_t gp_capacity(size_t capacity, size_t needed) {
  size_t grown = capacity + capacity / 2 + 16;
  return grown < needed ? needed : grown;
}

/* Reallocates the column that *column points to (`column` is the address of a pointer to
 * items of any type) to `capacity` items of `size` bytes. Returns false, with the column
 * untouched, if that is too much. */
static inline bool gp_resize(void *column, size_t capacity, size_t size) {
  void *items;  /* copied out and in: a pointer to T is not a pointer to void */
  if (capacity == 0) capacity = 1;
  if (capacity > SIZE_MAX / size) return false;
  memcpy(&items, column, sizeof items);
  /* cppcheck-suppress memleakOnRealloc ; the column still has the old ones */
  items = realloc(items, capacity * size);
  if (!items) return false;
  memcpy(column, &items, sizeof items);
  return true;
}

/* A column of a table that grows: the address of the pointer to its items. */
typedef struct gp_growing_column {
  void *column;
  size_t size;  /* bytes of an item */
} gp_growing_column;

#define GP_COLUMN(column) {&(column), sizeof *(column)}

/* Grows all columns of a table so that `needed` rows fit. Row numbers are 32 bits wide,
 * so UINT32_MAX rows are too many. Returns false, with *capacity untouched, if there is
 * no memory. */
static inline bool gp_grow(size_t *capacity, size_t needed,
                           const gp_growing_column *columns, size_t count) {
  size_t room = gp_capacity(*capacity, needed);
  if (room >= UINT32_MAX) return false;
  for (size_t i = 0; i < count; i++)
    if (!gp_resize(columns[i].column, room, columns[i].size)) return false;
  *capacity = room;
  return true;
}

/* Makes room for `needed` rows in the columns of a table, which have room for *capacity:
 *   GP_RESERVE(&calls->capacity, calls->count + 1,
 *              GP_COLUMN(calls->caller), GP_COLUMN(calls->callee))
 * False if there is no memory. A macro, so that the list of columns is made only when
 * they grow. */
#define GP_RESERVE(capacity, needed, ...)                                   \
  ((needed) <= *(capacity) ||                                               \
   gp_grow((capacity), (needed), (const gp_growing_column[]){__VA_ARGS__},  \
           sizeof(const gp_growing_column[]){__VA_ARGS__} / sizeof(gp_growing_column)))

#endif
