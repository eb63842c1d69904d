/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes the spread of a sum (see doc/internals.md). It lies beside the sum,
 * and the header of the sum identifies it.
 */
#ifndef GP_GMON_SUM_SPREAD_FILE_H
#define GP_GMON_SUM_SPREAD_FILE_H

#include "base/reader.h"
#include "base/writer.h"
#include "gmon/sum/spread.h"

/* The first bytes of the file, and its version. */
#define GP_SPREAD_MAGIC "gprofspr"
#define GP_SPREAD_VERSION 1

/* The name of the file: that of the sum, and this suffix. */
#define GP_SPREAD_SUFFIX ".spread"

/* A new spread gets its name in two steps, with a moment in which the sum is new and the
 * spread has this additional suffix. So one of them always belongs to the sum. */
#define GP_SPREAD_NEW ".new"

/* Reads a file into an empty spread (see gp_spread_init), which has the build ID of the
 * image. Sets *id to the number in the header of its sum. After an error, the spread
 * can only be freed. */
bool gp_spread_read(gp_spread *spread, gp_reader *reader, uint32_t *id,
                    gp_error *error);

/* Writes the file. Equal spreads give equal bytes, however their runs were grouped. Sets
 * *id as gp_spread_read does. Errors are reported to the writer's gp_error. */
bool gp_spread_put(const gp_spread *spread, gp_writer *writer, uint32_t *id);

#endif
