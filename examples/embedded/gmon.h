/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects a profile without an operating system. Samples and calls are recorded in
 * tables of fixed size and written at the end as a gmon.out, which gprof reads.
 *
 * The collector needs no C library, does not allocate or wait, and takes a few dozen
 * instructions for a sample or call. What does not fit is counted as lost; counters
 * stop at their maximum. It is interrupt-safe, but for one core only.
 */
#ifndef GMON_H
#define GMON_H

#include <stddef.h>
#include <stdint.h>

/* Number of histogram bins (2 bytes each). */
#ifndef GMON_BINS
#define GMON_BINS 2048
#endif

/* Capacity of the table of calls (three pointers each): a power of two. For fast lookups,
 * use at least 1.5 times the number of different calls. */
#ifndef GMON_ARCS
#define GMON_ARCS 512
#endif

/* Starts profiling the code from `low` up to, but not including, `high`. `rate` is
 * the number of gmon_sample calls per second; 0 if there are none. */
void gmon_start(uintptr_t low, uintptr_t high, uint32_t rate);

/* Records a sample at `pc`. Call it from a timer interrupt with the interrupted pc. */
void gmon_sample(uintptr_t pc);

/* Records a call. `self` is an address in the called function, `from` its return
 * address. */
void gmon_call(uintptr_t from, uintptr_t self);

/* Stops profiling and writes the profile: calls `put` with `to` and each piece of the
 * profile. */
typedef void gmon_put(void *to, const void *bytes, size_t size);
void gmon_write(gmon_put *put, void *to);

/* Number of calls and samples that are not in the profile: the table was full, a
 * counter was at its maximum, or an interrupt came while a call was being recorded. */
uint32_t gmon_lost(void);

#endif
