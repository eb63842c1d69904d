/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms, and the counts in their bins.
 *
 * A file stores each count in 16 bits, except for some 4.4BSD files. Bins in memory are
 * also 16 bits wide at first. They are widened to 32 or 64 bits only when a sum needs it.
 */
#ifndef GP_GMON_BINS_H
#define GP_GMON_BINS_H

#include "base/bytes.h"
#include "base/error.h"

/* Samples over a range of text. */
typedef struct gp_histogram {
  uint64_t low, high;     /* addresses covered: low to high - 1 */
  size_t bins;            /* number of bins, of equal size; at least 1 */
  uint32_t rate;          /* counts per unit, such as samples per second */
  char dimension[16];     /* name of the unit, such as "seconds" */
  char abbreviation;      /* abbreviation of the unit, such as 's'; may be NUL */
  unsigned width;         /* bytes of a count in `counts`: 2, 4 or 8 */
  void *counts;           /* an array of `bins` counts */
} gp_histogram;

/* The largest count that a file can store for a bin. */
#define GP_BIN_MAX UINT64_C(65535)

/* The number of samples in a bin. */
uint64_t gp_bin(const gp_histogram *histogram, size_t bin);

/* Returns the first bin from `first` on that has samples; the number of bins if none
 * has. */
size_t gp_bins_next(const gp_histogram *histogram, size_t first);

/* Sets `count` bins, starting with bin `first`, to the 16-bit counts at `bytes`. The
 * counts have the byte order of `layout`. The histogram must have the width 2. */
void gp_bins_set(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                 size_t count, gp_layout layout);

/* Adds counts in the format of gp_bins_set to the bins; the histogram may have any width.
 * Errors: a bin overflows, no memory. */
bool gp_bins_add(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                 size_t count, gp_layout layout, gp_error *error);

/* The counters of a file's bins. */
typedef struct gp_counter {
  unsigned bytes;         /* 1, 2, 4 or 8 */
  bool is_signed;
} gp_counter;

/* Like gp_bins_add, for counts of another size. Errors: also a negative count. */
bool gp_bins_add_wide(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                      size_t count, gp_counter counter, gp_layout layout,
                      gp_error *error);

/* Returns the first of `count` counts that is the counter's maximum; `count` if there is
 * none. */
size_t gp_bins_full(const unsigned char *bytes, size_t count, gp_counter counter,
                    gp_layout layout);

/* Adds the counts of `other`, which has the same number of bins and may be `histogram`
 * itself. */
bool gp_bins_merge(gp_histogram *histogram, const gp_histogram *other, gp_error *error);

/* Widens the bins as needed for merging `more`; then merging needs no memory. Returns
 * false if there is no memory. The counts do not change. */
bool gp_bins_reserve(gp_histogram *histogram, const gp_histogram *more);

/* Adds `more` samples to one bin. */
bool gp_bins_add_one(gp_histogram *histogram, size_t bin, uint64_t more, gp_error *error);

/* Returns the number of histogram records needed to write the bins: the fullest bin
 * divided by GP_BIN_MAX, rounded up. 0 if there are no samples. */
uint64_t gp_bins_records(const gp_histogram *histogram);

/* Writes `count` bins, starting with bin `first`, as 16-bit counts at `bytes`. A count
 * above GP_BIN_MAX is split over several records; `record` (from 0) selects the part to
 * write. */
void gp_bins_get(const gp_histogram *histogram, size_t first, unsigned char *bytes,
                 size_t count, uint64_t record, gp_layout layout);

#endif
