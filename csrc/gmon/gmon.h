/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profile data: the records of a gmon.out, or a sum of many.
 *
 * A sum adds up the bins of equal histograms, and the counts of equal arcs and equal
 * blocks. Records come from files (gmon_read.h, add_file.h), from other sums and from
 * scripts. Addresses stay as they were recorded; mapping them to functions is a later
 * stage. Counts are 64 bits wide where they need to be, so nothing is lost.
 */
#ifndef GP_GMON_GMON_H
#define GP_GMON_GMON_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/range.h"

typedef enum gp_format {
  GP_FORMAT_AUTO,    /* magic, or else BSD */
  GP_FORMAT_MAGIC,
  GP_FORMAT_BSD,     /* whichever of the two the header is of */
  GP_FORMAT_44BSD,
  GP_FORMAT_PROF     /* System V's mon.out, which is only read; magic if it begins so */
} gp_format;

/* Samples over a range of text. */
typedef struct gp_histogram {
  uint64_t low, high;     /* addresses covered: low to high - 1 */
  size_t bins;            /* at least 1; all of equal size */
  uint32_t rate;          /* samples a second, or counts a unit */
  char dimension[16];     /* what a count is of: "seconds" */
  char abbreviation;      /* "s"; may be NUL */
  unsigned width;         /* bytes of a count in the column: 2, 4 or 8 */
  void *counts;           /* narrow as in the file until a sum needs more */
} gp_histogram;

/* Calls, in the order in which they were met. */
typedef struct gp_arcs {
  size_t count, capacity;
  uint64_t *from;         /* an address in the caller */
  uint64_t *self;         /* an address in the callee: mostly its start */
  uint64_t *calls;
  gp_hash index;
  uint32_t next;          /* the row behind that of the last arc added */
} gp_arcs;

/* Basic blocks, in the order in which they were met. */
typedef struct gp_blocks {
  size_t count, capacity;
  uint64_t *address;      /* anywhere in the block */
  uint64_t *executions;
  gp_hash index;
} gp_blocks;

/* What was read or added so far. Equal records count each time. */
typedef struct gp_data_stats {
  size_t histogram_records, arc_records, block_records;
  uint64_t bytes;         /* of all files */
} gp_data_stats;

typedef struct gp_data {
  gp_layout layout;       /* how files are read and written: mostly as the image is */
  bool mixed_scales;      /* accept histograms with different sizes of a bin */
  bool mixed_rates;       /* accept other rates than the first histogram's, as if equal */
  bool shared;            /* of a shared library: calls from GP_OUTSIDE are from others */
  bool has_arcs;          /* a file of a format that records calls was added */
  gp_histogram *histograms;   /* disjoint; in the order in which they were met */
  uint32_t *by_address;       /* their numbers, sorted in runs: see gmon.c */
  size_t histogram_count, histogram_capacity;
  gp_arcs arcs;
  gp_blocks blocks;
  uint64_t uncounted;     /* calls of a shared library that its file had no room for */
  gp_data_stats stats;
} gp_data;

/* Where calls of a shared library's functions by others seem to be made: its code is
 * never there. */
#define GP_OUTSIDE UINT64_C(0)

/* The caller in arcs of which only the callee is known, as System V counts calls: the
 * highest address, where no call can be. */
static inline uint64_t gp_unknown_caller(gp_layout layout) {
  return layout.pointer_size == 8 ? UINT64_MAX : UINT32_MAX;
}

/* The offset of a record that does not come from a file. */
#define GP_NO_OFFSET UINT64_MAX

/* An empty sum. Its address must not change from here on. */
void gp_data_init(gp_data *data, gp_layout layout);
void gp_data_free(gp_data *data);

/* What all histograms cover together; low is not below high without any. */
gp_range gp_data_covered(const gp_data *data);

/* Adds calls between two addresses. `offset` is that of the record in its file, in bytes,
 * for messages; or GP_NO_OFFSET. After an error (too many calls, no memory) the sum is as
 * it was. */
bool gp_data_add_arc(gp_data *data, uint64_t from, uint64_t self, uint64_t calls,
                     uint64_t offset, gp_error *error);

/* The same for executions of a block. */
bool gp_data_add_block(gp_data *data, uint64_t address, uint64_t executions,
                       uint64_t offset, gp_error *error);

/* Whether a histogram of the range and kind of `header` can be added. If not, `error`
 * says why: it is not sound, counts something else than the others, or overlaps one of
 * them. */
bool gp_data_accepts(const gp_data *data, const gp_histogram *header, uint64_t offset,
                     gp_error *error);

/* The histogram of the sum to which bins of the range and kind of `header` are to be
 * added. If *is_new, it has no bins yet. NULL if the sum does not accept it, or without
 * memory. */
gp_histogram *gp_data_histogram(gp_data *data, const gp_histogram *header,
                                uint64_t offset, bool *is_new, gp_error *error);

/* The number of the first histogram, in the order of their ranges, that ends above an
 * address; GP_NONE if none does. */
uint32_t gp_data_histogram_above(const gp_data *data, uint64_t address);

/* Adds a histogram, of which the sum keeps nothing. After an error, be it for want of
 * memory, the sum is as it was. */
bool gp_data_add_histogram(gp_data *data, const gp_histogram *histogram, gp_error *error);

/* Adds another sum, and leaves that as it is. Errors as for a histogram. */
bool gp_data_merge(gp_data *data, const gp_data *other, gp_error *error);

/* Bytes of text per bin, in units of two bytes (GNU gprof's scale, and profil's). */
double gp_histogram_scale(const gp_histogram *histogram);

#endif
