/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Confines the current process. None of the restrictions can be undone.
 *
 * The functions are called in a child that has just been forked, and need no privileges.
 * Call them in the order of their declarations: the last function forbids system calls
 * that the others make. If one returns false, the process is not confined and must exit.
 */
#ifndef GP_SANDBOX_CONFINEMENT_H
#define GP_SANDBOX_CONFINEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct gp_limits {
  uint64_t memory;       /* address space in bytes; ignored under sanitizers, which
                            reserve terabytes */
  uint64_t seconds;      /* CPU time */
  uint64_t file;         /* maximum size of a file in bytes */
} gp_limits;

/* Sets resource limits, but raises none; disables core dumps; and makes the process die
 * with its parent. */
bool gp_limit(const gp_limits *limits, gp_error *error);

/* From now on, files can only be opened for reading, and only at or below the given
 * paths. Uses Landlock (Documentation/userspace-api/landlock.rst). Skips paths that
 * cannot be opened. Open files stay open. */
bool gp_restrict_paths(const char *const *paths, size_t count, gp_error *error);

/* Closes all descriptors from 3 on except the `count` descriptors in `keep`. Sorts
 * `keep`. */
bool gp_close_others(int *keep, size_t count, gp_error *error);

/* From now on, only the system calls for reading files and for writing to open files are
 * allowed. */
bool gp_restrict_calls(gp_error *error);

#endif
