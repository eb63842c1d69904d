/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes gmon.out in glibc's format: the sums of all threads, for the program without its
 * libraries. Addresses are link-time addresses. A caller outside the program has the
 * highest address.
 */
#ifndef GPROF_RUNTIME_GMON_OUT_H
#define GPROF_RUNTIME_GMON_OUT_H

#include <stdint.h>

/* Bytes of code for each bin of the histogram. */
#define REC_BYTES_PER_BIN 4

/* Writes gmon.out to the output file (see output.h). Returns 0 or ENOMEM. `low` and
 * `high` are the ends of the histogram, as loaded: multiples of REC_BYTES_PER_BIN. `time`
 * is the time that the context profile records. It is also stored in gmon.out, in a part
 * of the header that glibc leaves empty. */
int rec_put_gmon(uintptr_t low, uintptr_t high, uint64_t time);

#endif
