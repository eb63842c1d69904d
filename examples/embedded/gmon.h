/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects a profile where there is no operating system: samples and calls, in memory of
 * a fixed size, written at the end as a gmon.out that gprof reads.
 *
 * Nothing here needs a C library, allocates, waits, or takes longer than a few dozen
 * instructions. What does not fit is counted as lost; counts stop at their highest value.
 * It is for one core: interrupts may come at any time, threads of another core may not.
 */
#ifndef GMON_H
#define GMON_H

#include <stddef.h>
#include <stdint.h>

/* How many bins the code is divided into, of two bytes each, ... */
#ifndef GMON_BINS
#define GMON_BINS 2048
#endif

/* ... and how many different calls there is room for, of three pointers' size each: a
 * power of two, best half as many again as there are. */
#ifndef GMON_ARCS
#define GMON_ARCS 512
#endif

/* Code from `low` up to `high`, without `high` itself, is profiled from now on. `rate` is
 * how many times in a second gmon_sample will be called; 0 if it will not be. */
void gmon_start(uintptr_t low, uintptr_t high, uint32_t rate);

/* The program was at `pc` when the clock struck. To be called from its interrupt. */
void gmon_sample(uintptr_t pc);

/* The function that `self` is in was called, and will return to `from`. */
void gmon_call(uintptr_t from, uintptr_t self);

/* Hands the profile to `put`, piece by piece, and `to` with each. Nothing is collected
 * any more from here on. */
typedef void gmon_put(void *to, const void *bytes, size_t size);
void gmon_write(gmon_put *put, void *to);

/* How many calls and samples are not in the profile: there was no room, a count had
 * reached its end, or an interrupt came while a call was being counted. */
uint32_t gmon_lost(void);

#endif
