/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which code the bins of a histogram count, in units of two bytes, as profil() counts.
 *
 * profil() takes a factor of 16 bits after the binary point: a sample in unit u, counted
 * from the beginning of the histogram, is in bin u * factor / 65536. A file has the range
 * and the number of bins, but not the factor. The C library chooses about one bin for
 * four bytes, and rounds the number of bins up after that; where a histogram has its
 * number of bins, its factor is computed as in the C library (gmon/gmon.c there). If all
 * bins were taken to have the same size, they would be up to twelve bytes too low.
 */
#ifndef GP_GMON_BIN_UNITS_H
#define GP_GMON_BIN_UNITS_H

#include "gmon/bins.h"

/* Bins are computed in units of this many bytes of text. */
#define GP_PROFIL_UNIT 2

typedef struct gp_bin_units {
  uint64_t start;   /* the first unit of the histogram */
  uint64_t past;    /* one past its last unit */
  double scale;     /* units per bin, about */
  uint32_t factor;  /* of profil(); 0: all bins have the same size, `scale` */
} gp_bin_units;

/* Returns which code the bins count. `scale` is the number of units per bin, see
 * gp_histogram_scale. Unless `exact`, all bins are taken to have this size. */
gp_bin_units gp_bin_units_of(const gp_histogram *histogram, double scale, bool exact);

/* Returns the first unit that a bin counts. It counts all units up to the first one of
 * the next bin: none if the C library never reaches the bin, as some of the last ones. */
uint64_t gp_bin_first_unit(const gp_bin_units *units, uint64_t bin);

/* Returns the last bin that begins at a unit or before. The unit must not be before the
 * start. */
uint64_t gp_bin_of_unit(const gp_bin_units *units, uint64_t unit);

#endif
