/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a sum to a file, and the sum of its context profiles beside it.
 */
#ifndef GP_GMON_SUM_SUM_FILE_H
#define GP_GMON_SUM_SUM_FILE_H

#include "gmon/contexts/contexts.h"
#include "gmon/gmon_write.h"

typedef struct gp_sum_file {
  const char *path;
  gp_writer_path kind;            /* who chose it */
  bool keeps_others;              /* only a profile, or an empty file, is replaced */
  const char *companion;          /* path of the context profile */
  const gp_contexts *contexts;    /* NULL: there is no context profile */
  gp_format format;
  const gp_record_order *order;   /* NULL: the order of the data */
  gp_error *error, *problem;      /* receive errors about the file, and about the context
                                     profile */
} gp_sum_file;

/* A sum that is written, and does not yet replace the old one. */
typedef struct gp_new_sum {
  gp_writer sum, companion;
} gp_new_sum;

/* The most changes that a sum needs. */
#define GP_SUM_CHANGES 2

/* Writes `data` and the contexts, and sets the data's ID. Sets the changes, which
 * replace the old files, and returns their number; 0 on failure. Without contexts, the
 * context profile of an old sum is removed. A device has nothing beside it. */
size_t gp_sum_file_put(gp_data *data, const gp_sum_file *file, gp_new_sum *new,
                       gp_file_change changes[GP_SUM_CHANGES]);

#endif
