/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits of the process. A program that has used up its descriptors, for example, must
 * not lose its profile: at its end, soft limits may be as high as the hard ones.
 */
#ifndef GPROF_RUNTIME_SOFT_LIMITS_H
#define GPROF_RUNTIME_SOFT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum { RAISED_LIMITS = 3 }; /* open files, size of files, memory */

typedef struct limits {
  struct {
    uint64_t soft, hard;
  } of[RAISED_LIMITS];
} limits;

/* Whether an error is that of a limit which rec_raise_limits may raise. */
bool rec_is_limit(int error);

/* Raises the soft limits; returns what they were. */
limits rec_raise_limits(void);

void rec_restore_limits(const limits *before);

/* Makes sure that limits are not raised: the program has confined itself, and may not be
 * allowed to do so. */
void rec_keep_limits(void);

#endif
