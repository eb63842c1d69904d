/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds files to a sum, each completely or not at all.
 *
 * A file is read into a staging area, a gp_data of its own. If reading succeeds, the
 * staging area is merged into the sum. Profiles of one program have nearly the same
 * records. So the staging area keeps its records for the next file, with all counts set
 * to 0: the arcs are then in the order of the file, which makes them fast to find.
 * Records that the next file lacks are in the sum already, and merging adds 0 to them.
 */
#ifndef GP_GMON_SUM_ADD_FILE_H
#define GP_GMON_SUM_ADD_FILE_H

#include "gmon/gmon_read.h"

/* The staging area of one sum; empty if zeroed. Its address must not change. */
typedef struct gp_staging {
  gp_data data;
  bool used;   /* `data` is initialized */
} gp_staging;

/* Empties the staging area and frees its memory. Must be called when the addresses of the
 * sum's records change. */
void gp_staging_free(gp_staging *staging);

/* Adds the call paths of the context profile at `path` to a sum that has its samples and
 * calls already. The profile must have the ID in the header of the gmon.out at
 * `companion`, and the same samples and calls. After any error the sum is unchanged. */
bool gp_data_add_paths(gp_data *sum, const char *path, const char *companion,
                       uint64_t id, const gp_trace *trace, gp_error *error);

/* Looks at the records of a file before they are added. False, with an error, if the file
 * must not be added. Records without samples or calls may be of earlier files. */
typedef struct gp_file_check {
  void *into;            /* first argument of the function */
  bool (*check)(void *into, const gp_data *file, gp_error *error);
} gp_file_check;

/* Adds the file at `path` to `sum`. Sets *kind once the file is open. `check` may be
 * NULL. After any error the sum is unchanged. */
bool gp_data_add_file(gp_data *sum, gp_staging *staging, const char *path,
                      gp_read_options options, const gp_file_check *check,
                      gp_file_kind *kind, gp_error *error);

/* Like gp_data_add_file, but reads from `reader`, which it closes. Errors are reported to
 * the reader's gp_error. */
bool gp_data_add_from(gp_data *sum, gp_staging *staging, gp_reader *reader,
                      gp_read_options options, const gp_file_check *check,
                      gp_file_kind *kind);

#endif
