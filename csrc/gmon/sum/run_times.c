/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The times of functions in each single run. */
#include "gmon/sum/run_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static size_t timed_functions(const gp_run *run) {
  size_t count = 0;
  for (size_t i = 0; i < run->count; i++) count += run->time_of[run->function[i]] > 0;
  return count;
}

bool gp_run_times_reserve(gp_run_times *times, const gp_run *run, gp_error *error) {
  if (times->lost) return true;
  size_t count = times->count + timed_functions(run);
  if (times->runs == GP_RUN_TIMES_RUNS || count > GP_RUN_TIMES_MAX) {
    gp_run_times_lose(times);
    return true;
  }
  return GP_RESERVE(&times->capacity, count, GP_COLUMN(times->function),
                    GP_COLUMN(times->time)) ||
         gp_fail_memory(error);
}

void gp_run_times_add(gp_run_times *times, const gp_run *run) {
  if (times->lost) return;
  for (size_t i = 0; i < run->count; i++) {
    uint32_t row = run->function[i];
    if (run->time_of[row] == 0) continue;
    times->function[times->count] = row;
    times->time[times->count++] = run->time_of[row];
  }
  times->end[times->runs++] = times->count;
}

void gp_run_times_lose(gp_run_times *times) {
  free(times->function);
  free(times->time);
  memset(times, 0, sizeof *times);
  times->lost = true;
}
