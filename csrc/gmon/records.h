/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of reading a file, and the records that several formats have in common.
 */
#ifndef GP_GMON_RECORDS_H
#define GP_GMON_RECORDS_H

#include "base/reader.h"
#include "gmon/file_kind.h"

typedef struct gp_records {
  gp_data *data;          /* receives the records */
  const gp_data *target;  /* see gp_read_options */
  const gp_trace *trace;  /* see gp_read_options */
  gp_reader *reader;
  gp_error *error;
  gp_layout layout;
  gp_script_functions functions;    /* see gp_data */
  gp_file_kind kind;
  bool has_unit;          /* a histogram was added; all of a file have the same unit */
  gp_counter counter;     /* of the bins */
  gp_full_bins full;      /* of the last histogram record */
  uint64_t full_in;       /* the range of this record begins here */
  uint64_t offset;        /* byte offset of the current record, for messages */
} gp_records;

/* Reports that the file ends within the current record, which `kind` describes ("the
 * arc"). If a read failed, keeps the reader's message. Returns false. */
bool gp_records_truncated(gp_records *r, const char *kind);

/* Adds the calls of the current record. */
bool gp_records_add_arc(gp_records *r, uint64_t from, uint64_t self, uint64_t calls);

/* Calls gp_data_histogram (see gmon.h) for the current record. The target must also
 * accept the histogram. */
gp_histogram *gp_records_histogram(gp_records *r, const gp_histogram *header,
                                   bool *is_new);

/* Reads `header->bins` bins and adds them. A histogram with a rate of 0, or with another
 * unit or rate than the samples of the data or the target, must have no samples, and is
 * left out. */
bool gp_records_add_bins(gp_records *r, const gp_histogram *header);

/* Counts the full bins of the last histogram record. In a sum, the records before the
 * last one of a range have full bins by design. */
void gp_records_end_range(gp_records *r);

/* Reads a histogram of the magic format: a header of 2 pointers and 24 bytes, then the
 * bins. Copies the header to *range unless that is NULL. */
bool gp_records_read_histogram(gp_records *r, gp_histogram *range);

#endif
