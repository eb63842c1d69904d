/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of a file that is being read.
 *
 * Shared by the readers of all formats: where a file is read, into which data, and the
 * kinds of records that several formats have.
 */
#ifndef GP_GMON_RECORDS_H
#define GP_GMON_RECORDS_H

#include "base/reader.h"
#include "gmon/gmon_read.h"

typedef struct gp_records {
  gp_data *data;          /* to which they are added */
  const gp_data *target;  /* and trace: see gp_read_options */
  const gp_trace *trace;
  gp_reader *reader;
  gp_error *error;
  gp_layout layout;
  gp_file_kind kind;
  uint64_t offset;        /* of the current record, in bytes, for messages */
} gp_records;

/* Fails because the file ends within the current record, a `kind` ("the arc"). Keeps the
 * message of the reader if that failed. */
bool gp_records_truncated(gp_records *r, const char *kind);

/* Adds the calls of the current record. */
bool gp_records_add_arc(gp_records *r, uint64_t from, uint64_t self, uint64_t calls);

/* gp_data_histogram (see gmon.h) for the current record, which must fit the target,
 * too. */
gp_histogram *gp_records_histogram(gp_records *r, const gp_histogram *header,
                                   bool *is_new);

/* Reads the bins that `header` claims, and adds them. */
bool gp_records_add_bins(gp_records *r, const gp_histogram *header);

/* Reads a histogram of the magic format: a header of 2 pointers and 24 bytes, and its
 * bins. Sets *range, unless NULL, to the header. */
bool gp_records_read_histogram(gp_records *r, gp_histogram *range);

#endif
