/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as short decimal text, for data in a page.
 *
 * Numbers are rounded to seven digits, as "%.7g" rounds them. Integers, and numbers from
 * a million on, keep all digits before the decimal point.
 */
#ifndef GP_BASE_COMPACT_NUMBER_H
#define GP_BASE_COMPACT_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Doubles stand for one integer each up to this one. */
#define GP_LARGEST_WHOLE 9007199254740992.0

/* Whether a number is an integer that a double states exactly. */
static inline bool gp_is_whole(double number) {
  return fabs(number) <= GP_LARGEST_WHOLE && floor(number) == number;
}

/* The size of a buffer for any number: the largest has 309 digits. */
enum { GP_COMPACT_NUMBER_SIZE = 320 };

/* Writes a number, or "null" for infinity and NaN, without a final NUL. Returns the
 * length. */
size_t gp_compact_number(char text[GP_COMPACT_NUMBER_SIZE], double number);

#endif
