/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sums of the profiles of a job's ranks: one for each program.
 *
 * Profiles are added to the same sum if they are of the same build and compatible, for
 * instance in their sampling rates. Sums, and the profiles in each sum, are in the order
 * of the ranks.
 */
#ifndef GP_MPI_JOB_SUM_H
#define GP_MPI_JOB_SUM_H

#include "gmon/contexts/contexts.h"
#include "gmon/gmon.h"
#include "mpi/own_profile.h"
#include "mpi/program.h"
#include "mpi/settings.h"

/* The sum of the profiles of one program. */
typedef struct gp_program_sum {
  char *key;            /* what its profiles have in common */
  char *name;           /* of the program's file */
  gp_data data;
  gp_contexts contexts;
  bool has_contexts;
} gp_program_sum;

/* Why a rank's profile is not in the sums. */
typedef enum gp_absence {
  GP_SILENT,            /* it did not answer */
  GP_OWN                /* it has an own file */
} gp_absence;

/* Ranks whose profiles are not in the sums. */
typedef struct gp_absent {
  int first, last;
  gp_absence why;
} gp_absent;

typedef struct gp_job_sum {
  size_t count, capacity;
  gp_program_sum **programs;    /* in the order of their first ranks */
  size_t absent_count, absent_capacity;
  gp_absent *absent;            /* in the order of the ranks */
} gp_job_sum;

void gp_job_sum_free(gp_job_sum *job);

/* Adds the profile of this rank to an empty sum. */
bool gp_job_sum_add(gp_job_sum *job, const gp_own_profile *own, gp_error *error);

/* Notes that ranks are not in the sums. False if there is no memory. */
bool gp_job_sum_note(gp_job_sum *job, int first, int last, gp_absence why);

/* Where streams go, and where they come from. */
typedef struct gp_stream_out {
  gp_writer_sink *put;
  bool (*end)(void *into, gp_error *error);   /* ends a stream */
  void *into;
} gp_stream_out;

typedef struct gp_stream_in {
  gp_reader_source *get;
  bool (*next)(void *from, gp_error *error);  /* begins the next stream */
  void *from;
} gp_stream_in;

/* Writes the sums as streams. */
bool gp_job_sum_send(const gp_job_sum *job, const gp_stream_out *out, gp_error *error);

/* Adds the sums of the ranks from `first` to `end` - 1. After an error, the sums can only
 * be freed. */
bool gp_job_sum_receive(gp_job_sum *job, const gp_stream_in *in, int first, int end,
                        gp_error *error);

/* Writes a file for each program. `suffix` is added to the names. After an error, which
 * names a file, no file has changed. */
bool gp_job_sum_write(gp_job_sum *job, const gp_settings *settings, int rank,
                      const char *suffix, gp_error *error);

/* Writes the profile of this rank to the file that gp_job_sum_write would write for a sum
 * of nothing else. */
bool gp_job_sum_copy(const gp_job_sum *job, const gp_own_profile *own,
                     const gp_settings *settings, int rank, const char *suffix,
                     gp_error *error);

/* Stores a line about the ranks that are not in the sums of a job with `size` ranks: ""
 * if there are none. */
void gp_job_sum_describe(const gp_job_sum *job, int size, double timeout, char *line,
                         size_t line_size);

#endif
