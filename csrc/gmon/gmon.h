/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profile data: what a gmon.out holds.
 *
 * Sums of any number of files, in the current format ("magic", versions 0 and 1), the
 * two BSD formats or that of System V's prof, of what the dynamic linker tells of a
 * shared library, of other sums, and of records made by somebody: of bins of equal
 * histograms, counts of equal arcs and equal blocks. Addresses stay as they were
 * recorded; which functions they mean is a later stage's business. Nothing is lost:
 * counts are 64 bits wide where they need to be.
 *
 * gmon_read.c reads files (gmon_shared.c those of shared libraries, mon_read.c those of
 * System V), gmon_whole.c does so without a trace of one that is damaged, and
 * gmon_write.c writes them.
 */
#ifndef GP_GMON_GMON_H
#define GP_GMON_GMON_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/range.h"
#include "base/trace.h"

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

typedef struct gp_data gp_data;
struct gp_data {
  gp_layout layout;       /* how files are read and written: the image's, mostly */
  bool mixed_scales;      /* bins of several sizes may stand side by side */
  bool mixed_rates;       /* count samples of another rate as the first one's */
  bool shared;            /* of a shared library: calls from GP_OUTSIDE are from others */
  bool has_arcs;          /* a file could have told of calls, and perhaps did */
  gp_histogram *histograms;   /* disjoint; in the order in which they were met */
  uint32_t *by_address;       /* their numbers, sorted in runs: see gmon.c */
  size_t histogram_count, histogram_capacity;
  gp_arcs arcs;
  gp_blocks blocks;
  size_t histogram_records, arc_records, block_records;  /* as read or added */
  uint64_t bytes;         /* of all files that were read */
  uint64_t record;        /* offset of that which is being read, for messages */
  uint64_t uncounted;     /* calls of a shared library that there was no room to count */
  gp_format format;       /* of the last file; never GP_FORMAT_AUTO once one is read */
  uint32_t version;       /* that the last file in the magic format told */
  const gp_trace *trace;  /* or NULL */
  gp_data *spare;         /* for the next file that is added as a whole; or NULL */
  gp_data *sum;           /* that this is going to be merged into; or NULL */
};

/* Where calls of a shared library's functions by others seem to be made: its code is
 * never there. */
#define GP_OUTSIDE UINT64_C(0)

/* The caller in arcs of which only the callee is known, as System V counts calls: the
 * highest address, where no call can be. */
static inline uint64_t gp_unknown_caller(gp_layout layout) {
  return layout.pointer_size == 8 ? UINT64_MAX : UINT32_MAX;
}

/* For `record`: what is added comes from no file. */
#define GP_NO_RECORD UINT64_MAX

/* An empty sum. Its address must not change from here on. */
void gp_data_init(gp_data *data, gp_layout layout);
void gp_data_free(gp_data *data);

/* Adds a file. On an error the data is no longer of use: parts of the file may be
 * in it. */
bool gp_data_read(gp_data *data, const char *path, gp_format format, gp_error *error);

/* The same for what is open as `file`, from where that stands. It stays open. */
bool gp_data_read_open(gp_data *data, int file, gp_format format, gp_error *error);

/* Adds a file as a whole or not at all: after an error, be it for want of memory, the sum
 * is as it was. Keeps memory for the records of one file; see gmon_whole.c. */
bool gp_data_add_file(gp_data *data, const char *path, gp_format format, gp_error *error);

/* What all histograms cover together; low is not below high without any. */
gp_range gp_data_covered(const gp_data *data);

/* Gives the memory back that is kept for the next such file. */
void gp_data_forget(gp_data *data);

/* Adds calls between two addresses. An error leaves the sum as it was: too many calls,
 * or no memory. */
bool gp_data_add_arc(gp_data *data, uint64_t from, uint64_t self, uint64_t calls,
                     gp_error *error);

/* The same for executions of a block. */
bool gp_data_add_block(gp_data *data, uint64_t address, uint64_t executions,
                       gp_error *error);

/* The histogram of the sum that bins of the range and kind of `header` are to be added
 * to. One that *is_new has no bins yet. NULL if there can be none: `header` is not sound,
 * counts something else than the others, or overlaps one of them. */
gp_histogram *gp_data_histogram(gp_data *data, const gp_histogram *header, bool *is_new,
                                gp_error *error);

/* The number of the first histogram, in the order of their ranges, that ends above an
 * address; GP_NONE if none does. */
uint32_t gp_data_histogram_above(const gp_data *data, uint64_t address);

/* Adds a histogram, of which the sum keeps nothing. After an error, be it for want of
 * memory, the sum is as it was. */
bool gp_data_add_histogram(gp_data *data, const gp_histogram *histogram, gp_error *error);

/* Adds another sum, and leaves that as it is. Errors as for a histogram. */
bool gp_data_merge(gp_data *data, const gp_data *other, gp_error *error);

/* Writes all there is to a file, as a whole or not at all (see writer.h); "-" is standard
 * output. Magic is what GP_FORMAT_AUTO means here. Order and addresses are as they were
 * met; a count that is too large for a record goes on in further ones. False, and
 * nothing is written, if the format cannot hold it. */
bool gp_data_write(const gp_data *data, const char *path, gp_format format,
                   gp_error *error);

/* The same to what is open as `file`, from where that stands. It stays open, and what was
 * written to it before an error stays there. */
bool gp_data_write_open(const gp_data *data, int file, gp_format format,
                        gp_error *error);

/* The samples in a bin. */
uint64_t gp_bin(const gp_histogram *histogram, size_t bin);

/* Bytes of text per bin, in units of two bytes (GNU gprof's scale, and profil's). */
double gp_histogram_scale(const gp_histogram *histogram);

#endif
