/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a process can be kept from, once and for all: it cannot take any of this back.
 *
 * Each function is about this process, is called in a child that has just been forked,
 * and needs no privileges. The order is that of the declarations: the last of them
 * refuses the system calls that the others make. A false return means that the process
 * is not protected, and has to end.
 */
#ifndef GP_SANDBOX_CONFINEMENT_H
#define GP_SANDBOX_CONFINEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct gp_limits {
  uint64_t memory;       /* address space, in bytes; not under a sanitizer, which reserves
                            terabytes */
  uint64_t seconds;      /* of CPU time */
  uint64_t file;         /* the most that one file may grow to, in bytes */
} gp_limits;

/* Sets limits, or those that stand already if they are lower; dumps no core; and has the
 * process killed when its parent ends. */
bool gp_limit(const gp_limits *limits, gp_error *error);

/* From here on files are opened for reading only, and only those at and below the given
 * paths: by Landlock (Documentation/userspace-api/landlock.rst). A path that cannot be
 * opened is left out. What is open already stays so. */
bool gp_restrict_paths(const char *const *paths, size_t count, gp_error *error);

/* Closes all descriptors from 3 on but those to keep, which it sorts. */
bool gp_close_others(int *keep, size_t count, gp_error *error);

/* From here on only the system calls are left that it takes to read files and to write to
 * those that are open. */
bool gp_restrict_calls(gp_error *error);

#endif
