/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bins of a histogram.
 *
 * A file has 16 bits for a count, and most counts are 0. So a column of bins is kept
 * as narrow as in the file, and gets wider only when a sum needs it; counts come out
 * of a file, and go into one, by the piece.
 */
#ifndef GP_GMON_BINS_H
#define GP_GMON_BINS_H

#include "gmon/gmon.h"

/* The most that a file can say of a bin. */
#define GP_BIN_MOST UINT64_C(65535)

/* The samples in a bin. */
uint64_t gp_bin(const gp_histogram *histogram, size_t bin);

/* Puts `count` counts, which a file of that layout holds at `bytes`, into the bins
 * from `first` on. The column must be of width 2. */
void gp_bins_set(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                 size_t count, gp_layout layout);

/* Adds such counts to the bins from `first` on. */
bool gp_bins_add(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                 size_t count, gp_layout layout, gp_error *error);

/* Adds the counts of another histogram of as many bins, or of the same one. */
bool gp_bins_merge(gp_histogram *histogram, const gp_histogram *other, gp_error *error);

/* Makes the bins wide enough for that, which cannot fail then for want of memory. False
 * if there is none; the counts are what they were anyway. */
bool gp_bins_reserve(gp_histogram *histogram, const gp_histogram *more);

/* Adds samples to a bin. */
bool gp_bins_add_one(gp_histogram *histogram, size_t bin, uint64_t more, gp_error *error);

/* How many times GP_BIN_MOST the fullest bin holds, rounded up: so many records does it
 * take to write the bins. 0 if there is no sample at all. */
uint64_t gp_bins_records(const gp_histogram *histogram);

/* Writes the share of `count` bins from `first` on in the record of that number, which
 * begins at 0, to `bytes`: added up, the shares of all records are the bins. */
void gp_bins_get(const gp_histogram *histogram, size_t first, unsigned char *bytes,
                 size_t count, uint64_t record, gp_layout layout);

#endif
