/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads profile files into profile data.
 *
 * The formats: the current one ("magic", versions 0 and 1), the two BSD formats, System
 * V's mon.out (mon_out.h), and the profiles that glibc's dynamic linker writes of shared
 * libraries (ld_profile.h). Claims of a file are checked against its size before memory
 * is allocated. Messages give the offset of the bad record.
 */
#ifndef GP_GMON_GMON_READ_H
#define GP_GMON_GMON_READ_H

#include "base/trace.h"
#include "gmon/gmon.h"

typedef struct gp_read_options {
  gp_format format;
  const gp_trace *trace;  /* or NULL */
  const gp_data *target;  /* the sum that the data will be merged with; or NULL. A
                             histogram that does not fit it is an error, reported with
                             its offset. */
} gp_read_options;

/* What a file turned out to be. */
typedef struct gp_file_kind {
  gp_format format;       /* never GP_FORMAT_AUTO */
  uint32_t version;       /* of the magic format */
} gp_file_kind;

/* Adds a file; "-" is standard input. Sets *kind once the file is open. After an error
 * the data is unusable: parts of the file may be in it (see add_file.h). */
bool gp_data_read(gp_data *data, const char *path, const gp_read_options *options,
                  gp_file_kind *kind, gp_error *error);

/* The same for the open descriptor `file`, from its current position. It stays open. */
bool gp_data_read_open(gp_data *data, int file, const gp_read_options *options,
                       gp_file_kind *kind, gp_error *error);

#endif
