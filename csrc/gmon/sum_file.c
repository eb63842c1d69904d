/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a sum to a file, and the sum of its context profiles beside it. */
#include "gmon/sum_file.h"

/* Writes a file that is open, and the context profile beside it. */
static bool write_both(gp_data *data, const gp_sum_file *file, gp_writer *writer,
                       gp_error *problem) {
  gp_writer beside;
  if (!gp_writer_open(&beside, file->beside, file->kind, problem))
    return gp_writer_close(writer, false);
  bool done = gp_contexts_put(file->contexts, &beside, &data->stamp) &&
              gp_data_put(data, writer, file->format, file->order);
  return gp_writer_close_both(writer, &beside, done);
}

bool gp_sum_file_write(gp_data *data, const gp_sum_file *file, gp_error *problem,
                       gp_error *error) {
  gp_writer writer;
  if (!gp_writer_open(&writer, file->path, file->kind, error)) return false;
  if (file->contexts && writer.target) return write_both(data, file, &writer, problem);
  const char *outdated = gp_is_context_profile(file->beside) ? file->beside : NULL;
  return gp_writer_close_removing(&writer, outdated,
                                  gp_data_put(data, &writer, file->format, file->order));
}
