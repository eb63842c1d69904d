/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds files to a sum, each as a whole or not at all.
 *
 * A file is read into a staging area, data of its own, and merged if all went well.
 * Files of one program have much the same records, so the staging area is kept for the
 * next file, with counts of 0: arcs are then found in the order in which the file has
 * them. All its records are in the sum, too, where adding 0 changes nothing.
 */
#ifndef GP_GMON_ADD_FILE_H
#define GP_GMON_ADD_FILE_H

#include "gmon/gmon_read.h"

/* The staging area of one sum; empty if zeroed. Its address must not change. */
typedef struct gp_staging {
  gp_data data;
  bool used;   /* `data` is initialized */
} gp_staging;

/* Empties it, and frees its memory. To be called when addresses in the sum change. */
void gp_staging_free(gp_staging *staging);

/* Adds a file to the sum of this staging area. Sets *kind once the file is open. After
 * any error, including lack of memory, the sum is unchanged. */
bool gp_data_add_file(gp_data *sum, gp_staging *staging, const char *path,
                      gp_format format, const gp_trace *trace, gp_file_kind *kind,
                      gp_error *error);

#endif
