/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns of numbers as short text, for data in a page.
 *
 * The text consists of 90 characters: printable ASCII without " & < > and \, so it needs
 * no escapes in JSON and in HTML. The first character is the kind of the column:
 *
 * - 'i', integers: each is a natural number, 2n for n and -2n - 1 for a negative n;
 * - 'd', differences of integers to the one before, in the same form;
 * - 'f', other numbers, in the decimal digits of gp_compact_number. Each begins with a
 *   character of its own: 0 stands for the number 0; 1 for null; and 2 + 2p + s for the
 *   natural number that follows, divided by 10 to the power of p, and negative if s is 1.
 *
 * A natural number has digits of base 45, the lowest first. All but the last are 45
 * higher.
 */
#ifndef GP_BASE_PACKED_NUMBERS_H
#define GP_BASE_PACKED_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* The longest number in characters. */
enum { GP_PACKED_SIZE = 16 };

/* Puts an integer at `out`; returns the length. */
size_t gp_pack_integer(char out[GP_PACKED_SIZE], int64_t number);

/* Puts a number, or null for infinity and NaN, at `out`. Returns the length, 0 if the
 * number cannot be packed. */
size_t gp_pack_number(char out[GP_PACKED_SIZE], double number);

#endif
