/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of text. */
#include "base/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers that are set quickly are set to the right in so many characters first. */
enum { QUICK = 24 };

/* Moves the `length` characters at `out` so that they fill the width. */
static char *fill(char *out, size_t length, gp_column_style style) {
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

/* Copies what stands from `begin` to the end of QUICK characters into its
 * column. Lengths that the compiler knows make copying a few instructions: there
 * is room for all of it. */
static char *put(char *out, const char *begin, const char *end, gp_column_style style) {
  size_t length = (size_t)(end - begin), width = (size_t)style.width;
  size_t blanks = length < width ? width - length : 0;
  if (blanks > 0 && !style.left) {
    memset(out, ' ', QUICK);
    if (blanks > QUICK) memset(out + QUICK, ' ', blanks - QUICK);
    out += blanks;
  }
  memcpy(out, begin, QUICK);
  out += length;
  if (blanks > 0 && style.left) {
    memset(out, ' ', blanks);
    out += blanks;
  }
  return out;
}

/* Writes the digits of `value` before `end`, at least `least` of them;
 * returns the first. */
static char *digits(char *end, uint64_t value, int least) {
  const char *enough = end - least;
  do {
    *--end = (char)('0' + value % 10);
    value /= 10;
  } while (value || end > enough);
  return end;
}

/* Writes the sign of a number, if it has one, before its digits; returns where it
 * begins. */
static char *set_sign(char *begin, bool negative, gp_column_style style) {
  if (negative)
    *--begin = '-';
  else if (style.plus)
    *--begin = '+';
  return begin;
}

char *gp_columns_integer(char *out, int64_t value, gp_column_style style) {
  char room[2 * QUICK], *end = room + QUICK;
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  char *begin = set_sign(digits(end, magnitude, 1), value < 0, style);
  return put(out, begin, end, style);
}

/* Numbers below 10^9 with one or two digits behind the point can be rounded in integers,
 * as long as they do not lie so near to the middle between two results that the error of
 * the multiplication (below 10^-4) could decide. printf does the rest. Writes before
 * `end`; returns the first character, or NULL. */
static char *set_quickly(char *end, double value, int precision) {
  if (!(value >= 0 && value < 1e9) || precision < 1 || precision > 2) return NULL;
  uint64_t unit = precision == 1 ? 10 : 100;
  double scaled = value * (double)unit;
  uint64_t whole = (uint64_t)scaled;
  double rest = scaled - (double)whole;
  if (rest > 0.4999 && rest < 0.5001) return NULL;
  if (rest > 0.5) whole++;
  end = digits(end, whole % unit, precision);
  *--end = '.';
  return digits(end, whole / unit, 1);
}

char *gp_columns_fixed(char *out, double value, gp_column_style style) {
  char room[2 * QUICK], *end = room + QUICK;
  char *begin = set_quickly(end, fabs(value), style.precision);
  if (begin) return put(out, set_sign(begin, signbit(value), style), end, style);
  int precision = style.precision < 0 ? 6 : style.precision;
  int length = snprintf(out, GP_COLUMNS_NUMBER, style.plus ? "%+.*f" : "%.*f", precision,
                        value);
  return fill(out, (size_t)length, style);
}

char *gp_columns_string(char *out, const char *text, size_t length,
                        gp_column_style style) {
  if (style.precision >= 0 && length > (size_t)style.precision)
    length = (size_t)style.precision;
  memcpy(out, text, length);
  return fill(out, length, style);
}
