/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a sum to a file, and the sum of its context profiles beside it. */
#include "gmon/sum_file.h"

/* Fills a file that is open, after the context profile beside it. */
static bool fill(gp_data *data, const gp_sum_file *file, gp_writer *writer,
                 gp_writer *beside) {
  return (!beside || gp_contexts_put(file->contexts, beside, &data->stamp)) &&
         gp_data_put(data, writer, file->format, file->order);
}

bool gp_sum_file_write(gp_data *data, const gp_sum_file *file, gp_error *problem,
                       gp_error *error) {
  gp_writer writer, beside;
  gp_writer_others others = {.before = file->before};
  if (!gp_writer_open(&writer, file->path, file->kind, error)) {
    if (file->before) gp_writer_close(file->before, false);
    return false;
  }
  bool opened = true;
  if (file->contexts && writer.target) {
    opened = gp_writer_open(&beside, file->beside, file->kind, problem);
    if (opened) others.after = &beside;
  } else if (gp_is_context_profile(file->beside)) {
    others.outdated = file->beside;
  }
  bool done = opened && fill(data, file, &writer, others.after);
  return gp_writer_close_all(&writer, others, done);
}
