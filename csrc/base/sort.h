/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stable sort of row numbers.
 *
 * A top-down merge sort: the first half is n/2 rows, rounded down, and the left
 * row is taken unless the right one is smaller. Equal rows keep their order, and
 * where a comparison is not transitive the result is still GNU gprof's, which
 * sorts in just this way.
 */
#ifndef GP_BASE_SORT_H
#define GP_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if row `b` has to stand before row `a` (that is, b < a). */
typedef bool gp_before(const void *context, uint32_t b, uint32_t a);

/* Sorts rows[0 .. count-1]. False, with the rows as they were, if there is no
 * memory for the half-size scratch column. */
bool gp_sort(uint32_t *rows, size_t count, gp_before *before, const void *context);

/* A new column of the numbers 0 .. count-1, or NULL. */
uint32_t *gp_identity(size_t count);

#endif
