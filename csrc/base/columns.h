/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns of text.
 *
 * Sets strings and numbers into columns as printf does in the C locale, to the byte,
 * into memory that the caller owns. Reports are nearly all numbers in columns, a
 * million lines of them at times; printf reads its format and the locale for each, and
 * takes ten times as long.
 */
#ifndef GP_BASE_COLUMNS_H
#define GP_BASE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How something is set: printf's flags, width and precision. */
typedef struct gp_column_style {
  int width;       /* at least so many characters; at most GP_COLUMNS_WIDTH */
  int precision;   /* of strings: at most so many characters; of numbers: digits
                      behind the point; -1 if not given */
  bool left;       /* fill on the right instead of on the left */
  bool plus;       /* numbers that are not negative begin with a plus sign */
} gp_column_style;

/* The most that a width or a precision can be. */
#define GP_COLUMNS_WIDTH 99

/* No number takes more bytes than this, terminating NUL included. */
#define GP_COLUMNS_NUMBER 512

/* Each sets its value at `out`, and returns the end of what it wrote. Numbers need
 * GP_COLUMNS_NUMBER bytes there, a string its length or the width, whichever is more. */
char *gp_columns_integer(char *out, int64_t value, gp_column_style style);
char *gp_columns_fixed(char *out, double value, gp_column_style style);
char *gp_columns_string(char *out, const char *text, size_t length,
                        gp_column_style style);

#endif
