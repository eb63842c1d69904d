/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats strings and numbers into columns of text.
 *
 * The output equals printf's in the C locale, byte for byte. Reports consist mostly of
 * numbers in columns, up to millions of lines. printf takes ten times as long, because it
 * parses the format and consults the locale for every number.
 */
#ifndef GP_BASE_COLUMNS_H
#define GP_BASE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* printf's flags, width and precision. It is passed in one register. */
typedef struct gp_column_style {
  uint8_t width;   /* minimum width in characters, up to GP_COLUMNS_WIDTH */
  int8_t precision;  /* strings: maximum length; numbers: decimals; -1 if not given */
  bool left;       /* flag -: align to the left */
  bool plus;       /* flag +: always print a sign */
} gp_column_style;

/* The largest width and precision. */
#define GP_COLUMNS_WIDTH 99

/* The longest formatted number in bytes, with the terminating NUL. */
#define GP_COLUMNS_NUMBER 512

/* Each function formats `value` or `text` at `out` and returns one past the end. A number
 * needs GP_COLUMNS_NUMBER bytes of space; a string needs its length or the width,
 * whichever is larger. */
char *gp_columns_integer(char *out, int64_t value, gp_column_style style);
char *gp_columns_fixed(char *out, double value, gp_column_style style);
char *gp_columns_string(char *out, const char *text, size_t length,
                        gp_column_style style);

#endif
