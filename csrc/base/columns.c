/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats strings and numbers into columns of text. */
#include "base/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Size of the scratch buffer for formatting a number without printf. */
enum { SCRATCH = 24 };

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

/* Copies the characters from `begin` to `end` into their column. Returns one past the end
 * of the column. Always copies SCRATCH characters, because the compiler turns a memcpy of
 * constant length into a few instructions. Both buffers are large enough for that. */
static char *put(char *out, const char *begin, const char *end, gp_column_style style) {
  size_t length = (size_t)(end - begin), width = (size_t)style.width;
  size_t blanks = length < width ? width - length : 0;
  if (blanks > 0 && !style.left) {
    memset(out, ' ', SCRATCH);
    if (blanks > SCRATCH) memset(out + SCRATCH, ' ', blanks - SCRATCH);
    out += blanks;
  }
  memcpy(out, begin, SCRATCH);
  out += length;
  if (blanks > 0 && style.left) {
    memset(out, ' ', blanks);
    out += blanks;
  }
  return out;
}

/* Writes the decimal digits of `value` so that they end at `end`, padded with zeros to
 * `min_digits`. Returns the first digit. */
static char *put_digits(char *end, uint64_t value, int min_digits) {
  const char *last_zero = end - min_digits;
  do {
    *--end = (char)('0' + value % 10);
    value /= 10;
  } while (value || end > last_zero);
  return end;
}

/* Writes the sign, if any, before the digits at `begin`. Returns the first character of
 * the number. */
static char *put_sign(char *begin, bool negative, gp_column_style style) {
  if (negative)
    *--begin = '-';
  else if (style.plus)
    *--begin = '+';
  return begin;
}

char *gp_columns_integer(char *out, int64_t value, gp_column_style style) {
  char room[2 * SCRATCH], *end = room + SCRATCH;
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  char *begin = put_sign(put_digits(end, magnitude, 1), value < 0, style);
  return put(out, begin, end, style);
}

/* Formats a number below 10^9 with one or two decimals by integer arithmetic, so that it
 * ends at `end`. Returns the first character. Returns NULL if printf must format the
 * number: it is out of range, or so close to the midpoint of two results that a rounding
 * error in `scaled` (below 10^-4) could change the result. */
static char *put_decimal(char *end, double value, int precision) {
  if (!(value >= 0 && value < 1e9) || precision < 1 || precision > 2) return NULL;
  uint64_t unit = precision == 1 ? 10 : 100;
  double scaled = value * (double)unit;
  uint64_t whole = (uint64_t)scaled;
  double rest = scaled - (double)whole;
  if (rest > 0.4999 && rest < 0.5001) return NULL;
  if (rest > 0.5) whole++;
  end = put_digits(end, whole % unit, precision);
  *--end = '.';
  return put_digits(end, whole / unit, 1);
}

char *gp_columns_fixed(char *out, double value, gp_column_style style) {
  char room[2 * SCRATCH], *end = room + SCRATCH;
  char *begin = put_decimal(end, fabs(value), style.precision);
  if (begin) return put(out, put_sign(begin, signbit(value), style), end, style);
  int precision = style.precision < 0 ? 6 : style.precision;
  int length = snprintf(out, GP_COLUMNS_NUMBER, style.plus ? "%+.*f" : "%.*f", precision,
                        value);
  return pad(out, (size_t)length, style);
}

char *gp_columns_string(char *out, const char *text, size_t length,
                        gp_column_style style) {
  if (style.precision >= 0 && length > (size_t)style.precision)
    length = (size_t)style.precision;
  memcpy(out, text, length);
  return pad(out, length, style);
}
