/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes profile data to a file.
 *
 * Records keep their addresses and, unless another order is given, their order. A count
 * that is too large for one record is split over several records with the same addresses;
 * readers sum them.
 */
#ifndef GP_GMON_GMON_WRITE_H
#define GP_GMON_GMON_WRITE_H

#include "base/writer.h"
#include "gmon/gmon.h"

/* The order in which to write records: the row numbers of all arcs, and of all blocks. */
typedef struct gp_record_order {
  uint32_t *arcs, *blocks;
} gp_record_order;

/* Writes data; the caller opens and closes the writer. GP_FORMAT_AUTO means magic.
 * `order` is NULL for the order of the data. Returns false, and writes nothing, if the
 * format cannot hold the data. All errors are reported to the writer's gp_error. */
bool gp_data_put(const gp_data *data, gp_writer *writer, gp_format format,
                 const gp_record_order *order);

/* Like gp_data_put, but writes to the open descriptor `file`, from its current position.
 * The descriptor stays open. After a write error the file may hold part of the data. */
bool gp_data_write_open(const gp_data *data, int file, gp_format format,
                        const gp_record_order *order, gp_error *error);

#endif
