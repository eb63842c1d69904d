/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads mon.out, the profiles of System V's prof (see doc/mon.out.md).
 *
 * A header tells the range of text that was sampled and how many functions have
 * counters of calls; these counters follow, and then bins, up to the end of the file. Who
 * called is not recorded, nor how many samples a second there were.
 */
#ifndef GP_MON_READ_H
#define GP_MON_READ_H

#include "gmon.h"
#include "reader.h"

/* Adds what a reader has open, in the layout of the data; memory goes by what was read,
 * not by what the header claims. Errors as for gp_data_read. */
bool gp_mon_read(gp_data *data, gp_reader *reader, gp_error *error);

#endif
