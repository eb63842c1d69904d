/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats: text with places for values, as printf has them.
 *
 * They know %d, %f, %s and %%, with the flag -, width and precision, %d and %f with the
 * flag +, too, and may choose their values by place, as in %2$7d. A format is read piece
 * by piece; whoever uses it for many rows keeps the pieces.
 */
#ifndef GP_BASE_FORMAT_H
#define GP_BASE_FORMAT_H

#include "base/columns.h"

/* Some text, and the place for a value behind it. */
typedef struct gp_piece {
  const char *text;       /* in the format; not terminated */
  uint32_t length;
  uint8_t place;          /* of its value, from 1; 0: the next one */
  char conversion;        /* 'd', 'f', 's'; NUL: there is no value here */
  gp_column_style style;
} gp_piece;

/* Reads the piece at `p`, which is not at the end of the format. Returns the
 * place behind it; NULL if that is no format, which begins to be wrong behind
 * the text of the piece. */
const char *gp_format_piece(const char *p, gp_piece *piece);

#endif
