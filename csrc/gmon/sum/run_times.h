/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The times of functions in each single run, which a spread does not keep.
 *
 * For pictures of few runs: nothing is kept once there are too many, or if sums are added
 * whose runs are not known.
 */
#ifndef GP_GMON_SUM_RUN_TIMES_H
#define GP_GMON_SUM_RUN_TIMES_H

#include "base/reader.h"
#include "base/writer.h"
#include "gmon/sum/spread.h"

/* The largest number of runs, and of times in all of them. */
enum { GP_RUN_TIMES_RUNS = 256, GP_RUN_TIMES_MAX = 1 << 20 };

/* Initialize it with zeroes. */
typedef struct gp_run_times {
  bool lost;                /* nothing is kept */
  size_t runs;
  size_t end[GP_RUN_TIMES_RUNS];  /* one past the last time of each run */
  size_t count, capacity;
  uint32_t *function;       /* rows of the spread */
  uint64_t *time;           /* in the unit of the spread's times */
} gp_run_times;

/* Makes room for the times of a run. Errors: no memory. */
bool gp_run_times_reserve(gp_run_times *times, const gp_run *run, gp_error *error);

/* Adds the run for which room was made. */
void gp_run_times_add(gp_run_times *times, const gp_run *run);

/* Makes room for the runs of another spread of the same functions. Errors: no memory. */
bool gp_run_times_reserve_all(gp_run_times *times, const gp_run_times *other,
                              gp_error *error);

/* Adds these runs, after those of `times`. */
void gp_run_times_append(gp_run_times *times, const gp_run_times *other);

/* Writes all times for a process of this program. Returns false after a write error. */
bool gp_run_times_put(const gp_run_times *times, gp_writer *writer);

/* Reads what gp_run_times_put wrote; `times` is empty, and `functions` is the number of
 * rows of the spread. A read error, invalid data and lack of memory have one message. */
bool gp_run_times_read(gp_run_times *times, gp_reader *reader, size_t functions,
                       gp_error *error);

/* Forgets all times, for good. */
void gp_run_times_lose(gp_run_times *times);

#endif
