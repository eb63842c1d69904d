/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a sum to a file, and the sum of its context profiles beside it. */
#include "gmon/sum/sum_file.h"

size_t gp_sum_file_put(gp_data *data, const gp_sum_file *file, gp_new_sum *new,
                       gp_file_change changes[GP_SUM_CHANGES]) {
  size_t count = 0;
  bool opened =
      file->keeps_others
          ? gp_writer_open_profile(&new->sum, file->path, file->kind, file->error)
          : gp_writer_open(&new->sum, file->path, file->kind, file->error);
  if (!opened) return 0;
  changes[count++] = (gp_file_change){.writer = &new->sum};
  bool done = true, has_companion = file->contexts && new->sum.target;
  if (has_companion) {
    done = gp_writer_open_companion(&new->companion, file->companion, GP_CONTEXT_MAGIC,
                                    file->problem);
    if (done) changes[count++] = (gp_file_change){.writer = &new->companion};
    done = done && gp_contexts_put(file->contexts, &new->companion, &data->contexts_id);
  } else if (gp_is_context_profile(file->companion)) {
    changes[count++] = (gp_file_change){.removed = file->companion};
  }
  if (done && gp_data_put(data, &new->sum, file->format, file->order)) return count;
  gp_writers_close(changes, count, false);
  return 0;
}
