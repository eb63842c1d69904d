/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes gmon.out in glibc's format: the sums of all threads, for the program without its
 * libraries. Addresses are those of the executable file. A caller outside the program is
 * written as 0.
 */
#ifndef GPROF_RUNTIME_GMON_OUT_H
#define GPROF_RUNTIME_GMON_OUT_H

#include <stdint.h>

/* Writes gmon.out to the output file (see output.h). Returns 0 or ENOMEM. `low` and
 * `high` are the ends of the program's code, as loaded. */
int rec_put_gmon(uintptr_t low, uintptr_t high);

#endif
