/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses printf-like formats.
 *
 * The conversions are those of Lua's string.format; %% stands for a percent sign. Reports
 * need %d, %f and %s, with the flags "-" and "+": these are parsed. The text of any other
 * conversion is left to string.format. A conversion may select its value by position, as
 * in %2$7d, or by name, as in %{calls:7d}; %{name} is %{name:s}. A format is parsed into
 * pieces once, and the pieces are used for many rows.
 */
#ifndef GP_BASE_FORMAT_H
#define GP_BASE_FORMAT_H

#include "base/columns.h"

/* A conversion that string.format does. */
#define GP_OTHER '*'

/* The length of the longest conversion, with the percent sign: "%-+ #099.99d". */
#define GP_LONGEST_CONVERSION 32

/* Literal text, and the conversion that follows it. */
typedef struct gp_piece {
  const char *text;       /* points into the format; not NUL-terminated */
  uint32_t length;
  uint8_t place;          /* position of the value in the arguments, from 1; 0: the next
                             value */
  char conversion;        /* 'd', 'f', 's' or GP_OTHER; NUL: text only */
  uint8_t name_length;    /* 0: the value is not selected by name */
  uint8_t other_length;
  const char *name;       /* points into the format */
  const char *other;      /* the conversion without its percent sign, if it is GP_OTHER */
  gp_column_style style;
} gp_piece;

/* Parses the piece at `p`, which must not be the end of the format. Returns the start of
 * the next piece. Returns NULL for an invalid conversion, which begins right after the
 * text of the piece. */
const char *gp_format_piece(const char *p, gp_piece *piece);

#endif
