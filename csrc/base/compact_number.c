/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as short decimal text, for data in a page. */
#include "base/compact_number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"

/* The number of significant digits, and the least number with one digit more. */
enum { DIGITS = 7, TOO_MANY = 10000000 };

/* Numbers from here on have all digits before the decimal point. */
static const double LARGE = 1e6;

/* Integers below this can be converted without rounding. */
static const double EXACT = 1e15;

/* Writes a number that is not negative. Returns the count of its digits. */
static size_t put_digits(char *text, int64_t number) {
  const gp_column_style style = {.precision = -1};
  return (size_t)(gp_columns_integer(text, number, style) - text);
}

/* Writes `digits`, which has DIGITS digits, divided by 10 to the power of `places`.
 * Trailing zeros of the fraction are left out. */
static size_t put_fraction(char *text, uint32_t digits, int places) {
  char all[20] = {0};
  size_t last = DIGITS, at = 0;
  put_digits(all, digits);
  while (last > 1 && all[last - 1] == '0') last--;
  if (places < DIGITS) {
    size_t whole = (size_t)(DIGITS - places);
    memcpy(text, all, whole);
    if (last <= whole) return whole;
    text[whole] = '.';
    memcpy(text + whole + 1, all + whole, last - whole);
    return last + 1;
  }
  text[at++] = '0';
  text[at++] = '.';
  for (int i = DIGITS; i < places; i++) text[at++] = '0';
  memcpy(text + at, all, last);
  return at + last;
}

/* Writes a positive number below LARGE, like "%.7g". Returns 0 for a number below 0.0001,
 * or if the product below is so close to the middle between two results that its own
 * rounding could decide. */
static size_t put_rounded(char *text, double number) {
  static const double scales[] = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10};
  int places = 1;
  while (places <= 10 && number * scales[places - 1] < LARGE) places++;
  if (places > 10) return 0;
  double scaled = number * scales[places - 1], nearest = floor(scaled + 0.5);
  bool uncertain = fabs(fabs(scaled - nearest) - 0.5) < 1e-6;
  if (uncertain || nearest < LARGE || nearest >= TOO_MANY) return 0;
  return put_fraction(text, (uint32_t)nearest, places);
}

size_t gp_compact_number(char text[GP_COMPACT_NUMBER_SIZE], double number) {
  double size = fabs(number);
  size_t sign = signbit(number) ? 1 : 0, length;
  if (!isfinite(number)) return (size_t)snprintf(text, GP_COMPACT_NUMBER_SIZE, "null");
  text[0] = '-';
  if (size < EXACT && floor(size) == size)
    return sign + put_digits(text + sign, (int64_t)size);
  length = size < LARGE ? put_rounded(text + sign, size) : 0;
  if (length > 0) return sign + length;
  bool is_integer = floor(number) == number && number >= -9223372036854775808.0 &&
                    number < 9223372036854775808.0;
  const char *format = is_integer ? "%.0f" : size >= LARGE ? "%.1f" : "%.7g";
  return (size_t)snprintf(text, GP_COMPACT_NUMBER_SIZE, format, number);
}
