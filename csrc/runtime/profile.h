/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the profile: gmon.out, and the context profile beside it.
 */
#ifndef GPROF_RUNTIME_PROFILE_H
#define GPROF_RUNTIME_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* Sets the bounds of the program's code, as loaded, for the histogram. */
void rec_set_code(uintptr_t low, uintptr_t high);

/* Begins the profile of this process. The file names of a forked child contain its
 * process id. */
void rec_begin_profile(bool forked);

/* Writes the profile, unless nothing was recorded since the last time. Does nothing in a
 * child made by vfork, which shares the tables with its parent. */
void rec_write_profile(void);

#endif
