/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes profile data to a file.
 *
 * Order and addresses are as they were met. A count that is too large for a record is
 * continued in further records of the same kind and addresses, which add up to it.
 */
#ifndef GP_GMON_GMON_WRITE_H
#define GP_GMON_GMON_WRITE_H

#include "gmon/gmon.h"

/* Writes a file, as a whole or not at all (see writer.h); "-" is standard output.
 * GP_FORMAT_AUTO means magic. False, and nothing is written, if the format cannot hold
 * the data. */
bool gp_data_write(const gp_data *data, const char *path, gp_format format,
                   gp_error *error);

/* The same to the open descriptor `file`, from its current position. It stays open. What
 * was written to it before an error stays there. */
bool gp_data_write_open(const gp_data *data, int file, gp_format format,
                        gp_error *error);

#endif
