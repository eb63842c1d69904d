/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads profile files into profile data.
 *
 * The formats are the current one ("magic", versions 0 and 1), the two BSD formats,
 * System V's mon.out (mon_out.h), the profiles of shared libraries written by glibc's
 * dynamic linker (ld_profile.h), and the recorder's context profiles
 * (context_profile.h). Sizes in a file are checked against its length before
 * memory is allocated. Messages give the offset of the bad record.
 */
#ifndef GP_GMON_GMON_READ_H
#define GP_GMON_GMON_READ_H

#include "base/reader.h"
#include "base/trace.h"
#include "gmon/gmon.h"

typedef struct gp_read_options {
  gp_format format;
  const gp_trace *trace;  /* or NULL */
  const gp_data *target;  /* the sum into which the data will be merged, or NULL. If the
                             sum does not accept a histogram, the error gives the offset
                             of its record. */
} gp_read_options;

/* Totals of a context profile, over all modules. */
typedef struct gp_context_counts {
  uint64_t process;       /* process number; 0 in a sum */
  uint64_t processes;     /* number of processes */
  uint64_t written;       /* time of writing, in nanoseconds since 1970 */
  uint64_t stamp;         /* in the header of the gmon.out that belongs to it */
  uint64_t threads, modules;
  uint64_t contexts;      /* call paths; the same path in several tables (see
                             doc/contexts.md) is counted once for each table */
  uint64_t calls, ticks;
  uint64_t lost;          /* calls that were not counted, for lack of memory */
  uint32_t rate;          /* ticks per second; 0 if no samples were taken */
  bool joined;            /* call paths were joined, for lack of memory */
  bool wall;              /* samples are of wall-clock time */
} gp_context_counts;

/* The detected format of a file. */
typedef struct gp_file_kind {
  gp_format format;       /* never GP_FORMAT_AUTO */
  uint32_t version;       /* in a header of the magic format, or of a context profile */
  gp_context_counts contexts;   /* zero unless the file is a context profile */
} gp_file_kind;

/* Adds the records of a file; "-" is standard input. Sets *kind once the file is open.
 * After an error, some records may have been added; add_file.h avoids this. */
bool gp_data_read(gp_data *data, const char *path, const gp_read_options *options,
                  gp_file_kind *kind, gp_error *error);

/* Like gp_data_read, but reads from the open descriptor `file`, from its current
 * position. The descriptor stays open. */
bool gp_data_read_open(gp_data *data, int file, const gp_read_options *options,
                       gp_file_kind *kind, gp_error *error);

/* Like gp_data_read, but reads from `reader`, which it closes. Errors are reported to the
 * reader's gp_error. */
bool gp_data_read_from(gp_data *data, gp_reader *reader, const gp_read_options *options,
                       gp_file_kind *kind);

#endif
