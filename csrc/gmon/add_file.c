/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds files to profile data as a whole or not at all.
 *
 * A file is read into data of its own, which are merged if all went well. Files of one
 * program have much the same records, so these data are kept for the next one, with
 * counts of 0: it finds its arcs in the order in which it tells of them. All that is in
 * them is in the sum, too, where adding 0 changes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "gmon/gmon.h"

/* Records that the next file may lack; beyond that it is quicker to begin anew. */
enum { FEW = 1000 };

void gp_data_forget(gp_data *data) {
  if (data->spare) gp_data_free(data->spare);
  free(data->spare);
  data->spare = NULL;
}

static bool need_spare(gp_data *data) {
  if (data->spare) return true;
  data->spare = malloc(sizeof *data->spare);
  if (!data->spare) return false;
  gp_data_init(data->spare, data->layout);
  data->spare->mixed_rates = data->mixed_rates;
  data->spare->trace = data->trace;
  data->spare->sum = data;
  return true;
}

/* Whether data with so many records are mostly of the last file, which had `fresh`: else
 * the work on small files would be that on a large sum. */
static bool is_worth_it(size_t records, size_t fresh) {
  return records <= 2 * fresh + FEW;
}

/* Sets all counts to 0, or gives the memory back. */
static void clear_spare(gp_data *data) {
  gp_data *spare = data->spare;
  if (!is_worth_it(spare->arcs.count, spare->arc_records) ||
      !is_worth_it(spare->histogram_count, spare->histogram_records) ||
      spare->blocks.count > FEW) {
    gp_data_forget(data);
    return;
  }
  for (size_t i = 0; i < spare->histogram_count; i++)
    memset(spare->histograms[i].counts, 0,
           spare->histograms[i].bins * spare->histograms[i].width);
  if (spare->arcs.count > 0)
    memset(spare->arcs.calls, 0, spare->arcs.count * sizeof *spare->arcs.calls);
  if (spare->blocks.count > 0)
    memset(spare->blocks.executions, 0,
           spare->blocks.count * sizeof *spare->blocks.executions);
  spare->histogram_records = spare->arc_records = spare->block_records = 0;
  spare->bytes = spare->uncounted = 0;
  spare->shared = false;
}

/* Adds what was read, and as many records as there were in the file, be they equal. */
static bool add_spare(gp_data *data, gp_error *error) {
  const gp_data *file = data->spare;
  size_t histograms = data->histogram_records, arcs = data->arc_records;
  size_t blocks = data->block_records;
  if (!gp_data_merge(data, file, error)) return false;
  data->histogram_records = histograms + file->histogram_records;
  data->arc_records = arcs + file->arc_records;
  data->block_records = blocks + file->block_records;
  data->format = file->format;
  data->version = file->version;
  return true;
}

bool gp_data_add_file(gp_data *data, const char *path, gp_format format,
                      gp_error *error) {
  if (!need_spare(data)) return gp_fail_memory(error);
  bool done = gp_data_read(data->spare, path, format, error) && add_spare(data, error);
  if (done)
    clear_spare(data);
  else
    gp_data_forget(data);
  return done;
}
