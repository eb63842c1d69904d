/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How to read a profile file, and what kind of file was found.
 */
#ifndef GP_GMON_FILE_KIND_H
#define GP_GMON_FILE_KIND_H

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
  uint64_t id;            /* in the header of the gmon.out that belongs to it */
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

#endif
