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

/* Makes room for more runs and times; forgets all if there are too many. */
static bool reserve(gp_run_times *times, size_t runs, size_t count, gp_error *error) {
  if (times->lost) return true;
  runs += times->runs;
  count += times->count;
  if (runs > GP_RUN_TIMES_RUNS || count > GP_RUN_TIMES_MAX) {
    gp_run_times_lose(times);
    return true;
  }
  return GP_RESERVE(&times->capacity, count, GP_COLUMN(times->function),
                    GP_COLUMN(times->time)) ||
         gp_fail_memory(error);
}

bool gp_run_times_reserve(gp_run_times *times, const gp_run *run, gp_error *error) {
  return reserve(times, 1, timed_functions(run), error);
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

bool gp_run_times_reserve_all(gp_run_times *times, const gp_run_times *other,
                              gp_error *error) {
  return reserve(times, other->runs, other->count, error);
}

void gp_run_times_append(gp_run_times *times, const gp_run_times *other) {
  if (other->lost) gp_run_times_lose(times);
  if (times->lost) return;
  for (size_t i = 0; i < other->runs; i++)
    times->end[times->runs++] = times->count + other->end[i];
  for (size_t i = 0; i < other->count; i++) {
    times->function[times->count] = other->function[i];
    times->time[times->count++] = other->time[i];
  }
}

/* Between processes, all numbers are words: whether nothing is kept; the number of runs;
 * their ends; and for each time its function and itself. */

static bool put(gp_writer *writer, uint64_t word) {
  unsigned char *room = gp_writer_room(writer, sizeof word);
  if (room) memcpy(room, &word, sizeof word);
  return room != NULL;
}

bool gp_run_times_put(const gp_run_times *times, gp_writer *writer) {
  bool done = put(writer, times->lost) && put(writer, times->runs);
  for (size_t i = 0; done && i < times->runs; i++) done = put(writer, times->end[i]);
  for (size_t i = 0; done && i < times->count; i++)
    done = put(writer, times->function[i]) && put(writer, times->time[i]);
  return done;
}

/* Reads a word that is at most `most`. */
static bool take(gp_reader *reader, uint64_t most, uint64_t *word) {
  const unsigned char *bytes = gp_reader_take(reader, sizeof *word);
  if (bytes) memcpy(word, bytes, sizeof *word);
  return bytes && *word <= most;
}

static bool read_ends(gp_run_times *times, gp_reader *reader, uint64_t runs,
                      gp_error *error) {
  uint64_t end = 0, last = 0;
  for (size_t i = 0; i < runs; i++, last = end) {
    if (!take(reader, GP_RUN_TIMES_MAX, &end) || end < last) return false;
    times->end[i] = (size_t)end;
  }
  if (!reserve(times, (size_t)runs, (size_t)end, error)) return false;
  times->runs = (size_t)runs;
  times->count = (size_t)end;
  return true;
}

bool gp_run_times_read(gp_run_times *times, gp_reader *reader, size_t functions,
                       gp_error *error) {
  uint64_t lost = 0, runs = 0, row, time;
  bool done = take(reader, 1, &lost) && take(reader, GP_RUN_TIMES_RUNS, &runs) &&
              read_ends(times, reader, runs, error);
  for (size_t i = 0; done && i < times->count; i++) {
    done = take(reader, functions - 1, &row) && take(reader, UINT64_MAX, &time);
    times->function[i] = done ? (uint32_t)row : 0;
    times->time[i] = done ? time : 0;
  }
  if (done && lost) gp_run_times_lose(times);
  return done || gp_fail(error, "the times of single runs are damaged");
}
