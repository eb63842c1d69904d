/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads mon.out, the profile format of System V's prof (see doc/mon.out.md).
 */
#ifndef GP_GMON_MON_OUT_H
#define GP_GMON_MON_OUT_H

#include "gmon/records.h"

/* Reads a file from its beginning. Memory use depends on the bytes read, not on the sizes
 * in the header. */
bool gp_mon_out_read(gp_records *r);

#endif
