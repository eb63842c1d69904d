/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds files to a sum, each completely or not at all. */
#include "gmon/sum/add_file.h"

#include <string.h>

#include "gmon/sum/agreement.h"

/* A record of the staging area is stale if the last file did not have it. The staging
 * area is never emptied for fewer stale records than this. */
enum { FEW = 1000 };

void gp_staging_free(gp_staging *staging) {
  if (staging->used) gp_data_free(&staging->data);
  staging->used = false;
}

/* Whether at least half of `records` came from the last file, which had `last` records.
 * If not, the staging area is emptied, because merging stale records also takes time. */
static bool is_worth_keeping(size_t records, size_t last) {
  return records <= 2 * last + FEW;
}

/* Sets all counts to 0, or empties the staging area if it has too many stale records. */
static void reset(gp_staging *staging) {
  gp_data *data = &staging->data;
  if (!is_worth_keeping(data->arcs.count, data->stats.arc_records) ||
      !is_worth_keeping(data->histogram_count, data->stats.histogram_records) ||
      data->blocks.count > FEW) {
    gp_staging_free(staging);
    return;
  }
  for (size_t i = 0; i < data->histogram_count; i++)
    memset(data->histograms[i].counts, 0,
           data->histograms[i].bins * data->histograms[i].width);
  if (data->arcs.count > 0)
    memset(data->arcs.calls, 0, data->arcs.count * sizeof *data->arcs.calls);
  if (data->blocks.count > 0)
    memset(data->blocks.executions, 0,
           data->blocks.count * sizeof *data->blocks.executions);
  gp_call_paths_free(&data->paths);
  data->stats = (gp_data_stats){0};
  data->uncounted = 0;
  data->full = (gp_full_bins){0};
  data->shared = data->sampled = false;
}

/* Merges the staged data. The statistics must count every record of the file, but
 * gp_data_merge counts records with the same key only once. */
static bool merge(gp_data *sum, const gp_data *file, gp_error *error) {
  gp_data_stats stats = sum->stats;
  if (!gp_data_merge(sum, file, error)) return false;
  sum->stats.histogram_records = stats.histogram_records + file->stats.histogram_records;
  sum->stats.arc_records = stats.arc_records + file->stats.arc_records;
  sum->stats.block_records = stats.block_records + file->stats.block_records;
  return true;
}

/* Reads the context profile that belongs to the gmon.out at `companion`. Another run may
 * be of another build, so its records need not fit the sum. */
static bool read_contexts(gp_data *data, const char *path,
                          const gp_read_options *options, const char *companion,
                          uint64_t id, gp_error *error) {
  gp_file_kind kind = {.format = GP_FORMAT_AUTO};
  bool done = gp_data_read(data, path, options, &kind, error);
  /* if reading fails, the ID of a process is known, but not the ID of a sum, its
   * checksum */
  bool has_id = kind.format == GP_FORMAT_CONTEXT && (done || kind.contexts.process != 0);
  if (has_id && (kind.contexts.id != id || id == 0))
    return gp_fail(error, "does not belong to %s, but to another run", companion);
  return done && (kind.format == GP_FORMAT_CONTEXT ||
                  gp_fail(error, "is not a context profile"));
}

/* Checks that a context profile has the same calls and samples as the gmon.out at
 * `companion`: times computed from both would otherwise be wrong. */
static bool check_counts(const gp_data *contexts, const char *companion,
                         gp_error *error) {
  gp_read_options options = {.format = GP_FORMAT_MAGIC};
  gp_file_kind kind;
  gp_data plain;
  gp_data_init(&plain, contexts->layout);
  bool done = gp_data_read(&plain, companion, &options, &kind, error);
  if (done && !gp_have_same_calls(contexts, &plain))
    done = gp_fail(error, "does not fit %s: their calls differ", companion);
  if (done && !gp_have_same_samples(contexts, &plain))
    done = gp_fail(error, "does not fit %s: their samples differ", companion);
  gp_data_free(&plain);
  return done;
}

bool gp_data_add_paths(gp_data *sum, const char *path, const char *companion,
                       uint64_t id, const gp_trace *trace, gp_error *error) {
  gp_read_options options = {.format = GP_FORMAT_AUTO, .trace = trace, .target = sum};
  gp_data file;
  gp_data_init(&file, sum->layout);
  bool done = read_contexts(&file, path, &options, companion, id, error) &&
              check_counts(&file, companion, error) &&
              gp_call_paths_take(&sum->paths, &file.paths, error);
  gp_data_free(&file);
  return done;
}

bool gp_data_add_from(gp_data *sum, gp_staging *staging, gp_reader *reader,
                      gp_read_options options, const gp_file_check *check,
                      gp_file_kind *kind) {
  gp_error *error = reader->error;
  options.target = sum;
  if (!staging->used) {
    gp_data_init(&staging->data, sum->layout);
    staging->data.mixed_rates = sum->mixed_rates;
    staging->used = true;
  }
  bool done = gp_data_read_from(&staging->data, reader, &options, kind) &&
              (!check || check->check(check->into, &staging->data, error)) &&
              merge(sum, &staging->data, error);
  if (done)
    reset(staging);
  else
    gp_staging_free(staging);
  return done;
}

bool gp_data_add_file(gp_data *sum, gp_staging *staging, const char *path,
                      gp_read_options options, const gp_file_check *check,
                      gp_file_kind *kind, gp_error *error) {
  gp_reader reader;
  if (!gp_reader_open(&reader, path, error)) return false;
  GP_TRACE(options.trace, GP_TRACE_RECORDS, "file %s", path);
  return gp_data_add_from(sum, staging, &reader, options, check, kind);
}
