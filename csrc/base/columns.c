/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats strings and numbers into columns of text. */
#include "base/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pads the `length` characters at `out` to the column's width. Returns one past the
 * end. */
static char *pad(char *out, size_t length, gp_column_style style) {
  size_t width = (size_t)style.width;
  if (length >= width) return out + length;
  if (style.left) {
    memset(out + length, ' ', width - length);
  } else {
    memmove(out + (width - length), out, length);
    memset(out, ' ', width - length);
  }
  return out + width;
}

/* Lays out a number of `length` characters in its column, which is filled with blanks.
 * Returns where the number begins, and sets `*end` to one past the end of the column.
 * Writes at least 16 blanks, because the compiler turns a memset of constant length into
 * a few instructions; there is room for them. */
static inline char *place(char *out, size_t length, gp_column_style style, char **end) {
  size_t width = (size_t)style.width;
  *end = out + (length < width ? width : length);
  if (length >= width) return out;
  memset(out, ' ', 16);
  if (width > 16) memset(out + 16, ' ', width - 16);
  return style.left ? out : out + (width - length);
}

/* Returns the number of decimal digits of a number. */
static size_t count_digits(uint64_t value) {
  static const uint64_t power[] = {  /* of ten; the first makes 0 have one digit */
      0, UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
      UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000),
      UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
      UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
      UINT64_C(10000000000000000), UINT64_C(100000000000000000),
      UINT64_C(1000000000000000000), UINT64_C(10000000000000000000)};
  unsigned bits = 64 - (unsigned)__builtin_clzll(value | 1);
  unsigned digits = bits * 1233 >> 12;  /* bits * log10(2), rounded down */
  return digits + (value >= power[digits]);
}

/* Writes two decimal digits. */
static void put_pair(char *out, uint64_t value) {
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  memcpy(out, pairs + 2 * value, 2);
}

/* Writes the decimal digits of `value` so that they end at `end`. */
static void put_digits(char *end, uint64_t value) {
  for (; value >= 100; value /= 100) put_pair(end -= 2, value % 100);
  if (value >= 10)
    put_pair(end - 2, value);
  else
    end[-1] = (char)('0' + value);
}

char *gp_columns_integer(char *out, int64_t value, gp_column_style style) {
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  bool sign = value < 0 || style.plus;
  size_t length = count_digits(magnitude) + sign;
  char *end, *begin = place(out, length, style, &end);
  if (sign) *begin = value < 0 ? '-' : '+';
  put_digits(begin + length, magnitude);
  return end;
}

/* The two functions that are not inlined are rarely called, and would make the usual way
 * save more registers. */

/* Whether value * factor, which is `midpoint` after rounding, is above it; if equal,
 * whether `whole` is odd, because then the even result is the one above. */
static __attribute__((noinline)) bool is_above_midpoint(double value, double factor,
                                                        double midpoint, int64_t whole) {
  double error = fma(value, factor, -midpoint);
  return error > 0 || (error == 0 && whole % 2 != 0);
}

/* Converts a number to the nearest multiple of a tenth or a hundredth. False if printf
 * must format the number: it is not below 10^9, or has another number of decimals.
 *
 * Multiplication is monotonic, and the midpoints of two results are exact. So a product
 * on one side of a midpoint was not rounded across it. If the product is the midpoint,
 * its rounding error decides. */
static bool round_decimal(double value, int precision, uint64_t *units) {
  if (!(value < 1e9) || precision < 1 || precision > 2) return false;
  double factor = precision == 1 ? 10 : 100, scaled = value * factor;
  int64_t whole = (int64_t)scaled;
  double rest = scaled - (double)whole;
  bool up = rest == 0.5 ? is_above_midpoint(value, factor, scaled, whole) : rest > 0.5;
  *units = (uint64_t)whole + up;
  return true;
}

/* Formats a number of tenths or hundredths. */
static char *put_decimal(char *out, uint64_t units, bool negative,
                         gp_column_style style) {
  bool tenths = style.precision == 1, sign = negative || style.plus;
  uint64_t whole = tenths ? units / 10 : units / 100;
  size_t point = sign + count_digits(whole), length = point + (tenths ? 2 : 3);
  char *end, *begin = place(out, length, style, &end);
  if (sign) *begin = negative ? '-' : '+';
  put_digits(begin + point, whole);
  begin[point] = '.';
  if (tenths)
    begin[point + 1] = (char)('0' + (units - whole * 10));
  else
    put_pair(begin + point + 1, units - whole * 100);
  return end;
}

static __attribute__((noinline)) char *print_fixed(char *out, double value,
                                                   gp_column_style style) {
  int precision = style.precision < 0 ? 6 : style.precision;
  int length = snprintf(out, GP_COLUMNS_NUMBER, style.plus ? "%+.*f" : "%.*f", precision,
                        value);
  return pad(out, (size_t)length, style);
}

char *gp_columns_fixed(char *out, double value, gp_column_style style) {
  uint64_t units;
  if (!round_decimal(fabs(value), style.precision, &units))
    return print_fixed(out, value, style);
  return put_decimal(out, units, signbit(value), style);
}

char *gp_columns_string(char *out, const char *text, size_t length,
                        gp_column_style style) {
  if (style.precision >= 0 && length > (size_t)style.precision)
    length = (size_t)style.precision;
  memcpy(out, text, length);
  return pad(out, length, style);
}
