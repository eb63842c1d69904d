/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads profile files into profile data.
 *
 * The formats are the current one ("magic", versions 0 and 1), the two BSD formats,
 * System V's mon.out (mon_out.h), the profiles of shared libraries written by glibc's
 * dynamic linker (ld_profile.h), and the recorder's context profiles
 * (context_profile.h). Sizes in a file are checked against its length before
 * memory is allocated. Messages give the offset of the bad record.
 */
#ifndef GP_GMON_GMON_READ_H
#define GP_GMON_GMON_READ_H

#include "base/reader.h"
#include "gmon/file_kind.h"

/* Adds the records of a file; "-" is standard input. Sets *kind once the file is open.
 * After an error, some records may have been added; add_file.h avoids this. */
bool gp_data_read(gp_data *data, const char *path, const gp_read_options *options,
                  gp_file_kind *kind, gp_error *error);

/* Like gp_data_read, but reads from the open descriptor `file`, from its current
 * position. The descriptor stays open. */
bool gp_data_read_open(gp_data *data, int file, const gp_read_options *options,
                       gp_file_kind *kind, gp_error *error);

/* Like gp_data_read, but reads from `reader`, which it closes. Errors are reported to the
 * reader's gp_error. */
bool gp_data_read_from(gp_data *data, gp_reader *reader, const gp_read_options *options,
                       gp_file_kind *kind);

#endif
