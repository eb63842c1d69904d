/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads profiles of shared libraries, which glibc's dynamic linker writes for
 * LD_PROFILE=libx.so.
 */
#ifndef GP_GMON_LD_PROFILE_H
#define GP_GMON_LD_PROFILE_H

#include "gmon/records.h"

/* Reads the rest of the file, after the header of the magic format. */
bool gp_ld_profile_read(gp_records *r);

#endif
