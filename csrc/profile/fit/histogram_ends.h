/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The addresses that start-up code may use as the start and end of the histogram.
 *
 * Start-up code makes the histogram begin and end with the code: at .text, or at symbols
 * such as __executable_start and etext, which linkers define.
 */
#ifndef GP_PROFILE_FIT_HISTOGRAM_ENDS_H
#define GP_PROFILE_FIT_HISTOGRAM_ENDS_H

#include "base/range.h"
#include "object/image.h"

enum {
  GP_MAX_ENDS = 8,       /* maximum number of starts, and of ends */
  GP_END_ROUNDING = 16   /* bytes by which a histogram may be larger than the code */
};

typedef struct gp_histogram_ends {
  uint64_t low[GP_MAX_ENDS], high[GP_MAX_ENDS];
  size_t lows, highs;
  bool has_end;   /* a symbol such as etext marks the end */
} gp_histogram_ends;

/* Finds the ends of an image's code. Symbols are used only if they were read. */
void gp_histogram_ends_find(gp_histogram_ends *ends, const gp_image *image);

/* Compares a histogram with the code between two addresses. If both have the same size,
 * sets `*offset` to the slide, the difference of their addresses; otherwise returns
 * false. The ends of a histogram may be rounded to whole bins of four bytes, as in all C
 * libraries. */
bool gp_histogram_ends_offset(gp_range histogram, uint64_t low, uint64_t high,
                              uint64_t *offset);

#endif
