/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stable sort of row numbers, and a sort of addresses.
 *
 * Row numbers are sorted by a top-down merge sort: the left half has n/2 rows, rounded
 * down, and the merge takes the left row unless the right one is smaller. This is exactly
 * how GNU gprof sorts. So the order is GNU gprof's even where a comparison is not
 * transitive.
 */
#ifndef GP_BASE_SORT_H
#define GP_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether row `b` sorts before row `a` (that is, b < a). */
typedef bool gp_before(const void *context, uint32_t b, uint32_t a);

/* Sorts rows[0 .. count-1]. Returns false, with the rows unchanged, if there is no memory
 * for a scratch array of half the size. */
bool gp_sort(uint32_t *rows, size_t count, gp_before *before, const void *context);

/* Allocates an array of the numbers 0 .. count-1; free() it. NULL if there is no
 * memory. */
uint32_t *gp_identity(size_t count);

/* Sorts addresses in ascending order, and keeps each address once. Returns how many are
 * left. `addresses` may be NULL if `count` is 0. */
size_t gp_sort_distinct(uint64_t *addresses, size_t count);

#endif
