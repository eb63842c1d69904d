/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of text. */
#include "text.h"

#include <stdio.h>
#include <string.h>

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

/* Writes the digits of `value`, at least `least` of them. */
static char *digits(char *out, uint64_t value, int least) {
  char reversed[24];
  int count = 0;
  do {
    reversed[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value || count < least);
  while (count > 0) *out++ = reversed[--count];
  return out;
}

char *gp_text_integer(char *out, int64_t value, gp_column_style style) {
  char *end = out;
  uint64_t magnitude = (uint64_t)value;
  if (value < 0) {
    *end++ = '-';
    magnitude = 0 - magnitude;
  }
  end = digits(end, magnitude, 1);
  return fill(out, (size_t)(end - out), style);
}

/* Numbers below 10^9 with one or two digits behind the point can be rounded in
 * integers, as long as they do not lie so near to the middle between two results that
 * the error of the multiplication (below 10^-4) could decide. printf does the rest. */
static bool set_quickly(char **end, double value, int precision) {
  if (!(value >= 0 && value < 1e9) || precision < 1 || precision > 2) return false;
  uint64_t unit = precision == 1 ? 10 : 100;
  double scaled = value * (double)unit;
  uint64_t whole = (uint64_t)scaled;
  double rest = scaled - (double)whole;
  if (rest > 0.4999 && rest < 0.5001) return false;
  if (rest > 0.5) whole++;
  *end = digits(*end, whole / unit, 1);
  *(*end)++ = '.';
  *end = digits(*end, whole % unit, precision);
  return true;
}

char *gp_text_fixed(char *out, double value, gp_column_style style) {
  char *end = out;
  bool negative_zero = value == 0 && 1 / value < 0;
  if (!negative_zero && set_quickly(&end, value, style.precision))
    return fill(out, (size_t)(end - out), style);
  int precision = style.precision < 0 ? 6 : style.precision;
  int length = snprintf(out, GP_TEXT_NUMBER, "%.*f", precision, value);
  return fill(out, (size_t)length, style);
}

char *gp_text_string(char *out, const char *text, size_t length, gp_column_style style) {
  if (style.precision >= 0 && length > (size_t)style.precision)
    length = (size_t)style.precision;
  memcpy(out, text, length);
  return fill(out, length, style);
}
