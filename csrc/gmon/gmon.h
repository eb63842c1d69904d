/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profile data: the records of a gmon.out, or the sum of several.
 *
 * In a sum, histograms with the same range are added bin by bin; the counts of arcs or
 * blocks with the same addresses are added. Records come from files (gmon_read.h,
 * add_file.h), from other sums and from scripts. Addresses stay as recorded; they are
 * mapped to functions when a profile is made of the data.
 */
#ifndef GP_GMON_GMON_H
#define GP_GMON_GMON_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/range.h"
#include "gmon/bins.h"
#include "gmon/contexts/call_paths.h"
#include "gmon/contexts/script_functions.h"

typedef enum gp_format {
  GP_FORMAT_AUTO,    /* magic if the file begins with "gmon", context if it begins with
                        "gprofctx", else BSD */
  GP_FORMAT_MAGIC,   /* the current format */
  GP_FORMAT_BSD,     /* old BSD; when reading, also 4.4BSD, detected by its version */
  GP_FORMAT_44BSD,
  GP_FORMAT_PROF,    /* System V's mon.out, read only; magic if the file begins with
                        "gmon" */
  GP_FORMAT_CONTEXT  /* the recorder's context profiles; contexts.h writes sums of them */
} gp_format;

/* Calls, in the order in which they were first added. */
typedef struct gp_arcs {
  size_t count, capacity;
  uint64_t *from;         /* an address in the caller */
  uint64_t *self;         /* an address in the callee, usually its start */
  uint64_t *calls;
  gp_hash index;
  uint32_t next;          /* one past the row of the last arc added: a guess at the row
                             of the next one */
} gp_arcs;

/* Basic blocks, in the order in which they were first added. */
typedef struct gp_blocks {
  size_t count, capacity;
  uint64_t *address;      /* an address in the block */
  uint64_t *executions;
  gp_hash index;
} gp_blocks;

/* Number of records read or added. Records with the same key are all counted. */
typedef struct gp_data_stats {
  size_t histogram_records, arc_records, block_records;
  size_t left_out;        /* histogram records without samples that were left out */
  uint64_t bytes;         /* total size of the files read */
} gp_data_stats;

/* Bins in which a counter has reached its maximum, so that samples may be missing. */
typedef struct gp_full_bins {
  uint64_t count;         /* a bin is counted for each file in which it is full */
  uint64_t address;       /* of the first one */
} gp_full_bins;

/* The longest build ID of an image, in bytes. */
#define GP_DATA_BUILD_ID_BYTES 64

typedef struct gp_data {
  gp_layout layout;       /* byte order and pointer size of the files; usually the
                             image's */
  bool mixed_scales;      /* accept histograms with different bin sizes */
  bool mixed_rates;       /* accept different rates, and treat all as the first rate;
                             refuse a BSD file whose range differs from the first
                             histogram's, and give it the first one's unit; refuse
                             different units even without samples */
  bool shared;            /* data of a shared library; callers outside the library have
                             the address GP_OUTSIDE */
  unsigned char build_id[GP_DATA_BUILD_ID_BYTES];
  size_t build_id_size;   /* size of the image's build ID, which selects the module of a
                             context profile; 0 if unknown */
  uint64_t image_size;    /* size of the image's file in bytes; 0 if unknown */
  gp_script_functions functions;    /* of the image, if it stands for a Lua program */
  bool has_arcs;          /* an arc was added, or a file whose format records calls */
  bool sampled;           /* a histogram has samples. If not, the unit and the rate, which
                             all histograms share, mean nothing */
  gp_histogram *histograms;   /* disjoint; in the order in which they were added */
  uint32_t *by_address;       /* row numbers of histograms, in sorted runs: see gmon.c */
  size_t histogram_count, histogram_capacity;
  gp_arcs arcs;
  gp_blocks blocks;
  gp_call_paths paths;    /* of the files that have call paths */
  uint64_t uncounted;     /* calls in a shared library that were not counted, because its
                             profile was full */
  uint64_t contexts_id;   /* written into the header of the magic format: identifies the
                             context profile beside the file; 0 if there is none */
  uint32_t spread_id;     /* the same for the spread beside the file */
  gp_full_bins full;      /* in the files read */
  gp_data_stats stats;
} gp_data;

/* The caller's address in calls from outside a shared library. A library has no code at
 * this address. */
#define GP_OUTSIDE UINT64_C(0)

/* The caller's address in arcs without a known caller, as in System V's profiles: the
 * highest address, where no call instruction fits. */
static inline uint64_t gp_unknown_caller(gp_layout layout) {
  return layout.pointer_size == 8 ? UINT64_MAX : UINT32_MAX;
}

/* The offset of a record that does not come from a file. */
#define GP_NO_OFFSET UINT64_MAX

/* Initializes an empty sum. Its address must not change afterwards. */
void gp_data_init(gp_data *data, gp_layout layout);
void gp_data_free(gp_data *data);

/* Returns the smallest range that contains all histograms; empty (low >= high) if there
 * are none. */
gp_range gp_data_covered(const gp_data *data);

/* Frees the index of arcs, which is only needed to add more, and made again then. */
void gp_data_forget_index(gp_data *data);

/* Adds calls between two addresses. `offset` is the byte offset of the record in its
 * file, for messages; or GP_NO_OFFSET. Errors: the sum of calls overflows, no memory.
 * After an error the data is unchanged. */
bool gp_data_add_arc(gp_data *data, uint64_t from, uint64_t self, uint64_t calls,
                     uint64_t offset, gp_error *error);

/* Like gp_data_add_arc, for executions of a block. */
bool gp_data_add_block(gp_data *data, uint64_t address, uint64_t executions,
                       uint64_t offset, gp_error *error);

/* Gives data without samples the unit and the rate of `header`, unless rates may differ:
 * then units must always agree. */
void gp_data_take_unit(gp_data *data, const gp_histogram *header);

/* Whether a histogram can only be left out, because the data has samples of another unit
 * or rate. It must have no samples then. */
bool gp_data_leaves_out(const gp_data *data, const gp_histogram *header);

/* Whether a histogram with the range, rate and unit of `header` can be added or left out;
 * `sampled` is whether it has samples. Errors: the header is invalid, differs from the
 * other histograms in its bin size, overlaps a histogram with another range, or differs
 * in its unit or rate, although both have samples. */
bool gp_data_accepts(const gp_data *data, const gp_histogram *header, bool sampled,
                     uint64_t offset, gp_error *error);

/* Returns the histogram with the range of `header`, appended if there is none. Sets
 * *is_new if it was appended; then it has no bins yet. Whoever adds samples to it sets
 * `sampled`. Returns NULL for the errors of gp_data_accepts, or if there is no memory. */
gp_histogram *gp_data_histogram(gp_data *data, const gp_histogram *header,
                                uint64_t offset, bool *is_new, gp_error *error);

/* Returns the row of the lowest histogram that ends above `address`; GP_NONE if none
 * does. */
uint32_t gp_data_histogram_above(const gp_data *data, uint64_t address);

/* Adds the bins of a histogram, which it copies. Errors: those of gp_data_accepts, a bin
 * overflows, no memory. After an error the data is unchanged. */
bool gp_data_add_histogram(gp_data *data, const gp_histogram *histogram, gp_error *error);

/* Adds all records of `other`. Errors: those of gp_data_add_arc and
 * gp_data_add_histogram. After an error the data is unchanged. */
bool gp_data_merge(gp_data *data, const gp_data *other, gp_error *error);

/* Adds full bins found elsewhere. */
void gp_data_add_full(gp_data *data, gp_full_bins more);

/* Bytes of text per bin, in units of two bytes (the scale of GNU gprof and profil()). */
double gp_histogram_scale(const gp_histogram *histogram);

#endif
