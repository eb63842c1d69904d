/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a sum to a file, and the sum of its context profiles beside it.
 */
#ifndef GP_GMON_SUM_FILE_H
#define GP_GMON_SUM_FILE_H

#include "gmon/contexts.h"
#include "gmon/gmon_write.h"

typedef struct gp_sum_file {
  const char *path;
  const char *beside;    /* path of the context profile */
  gp_writer_path kind;   /* of both paths */
  const gp_contexts *contexts;    /* NULL: there is no context profile */
  gp_writer *before;     /* a complete file that replaces its target before the sum, and
                            is discarded if that fails; NULL: none */
  gp_format format;
  const gp_record_order *order;   /* NULL: the order of the data */
} gp_sum_file;

/* Writes `data` and the contexts, and sets the data's stamp. Both files are replaced once
 * both are complete. Without contexts, the context profile of an old sum is removed. A
 * device has nothing beside it. An error about the context profile is reported to
 * *problem, any other to *error. */
bool gp_sum_file_write(gp_data *data, const gp_sum_file *file, gp_error *problem,
                       gp_error *error);

#endif
