/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work of several threads.
 *
 * Only work that takes milliseconds is divided: starting a thread takes as long as
 * demangling twenty names.
 */
#ifndef GP_BASE_PARALLEL_H
#define GP_BASE_PARALLEL_H

#include <stddef.h>

/* Returns the number of processors that this process may use, at least 1. On Linux, the
 * affinity mask and the limits of cgroups count. */
size_t gp_processors(void);

/* The most parts that gp_parallel runs. */
enum { GP_MAX_PARTS = 64 };

/* Does one part of some work. Parts must not write the same data. */
typedef void gp_task(void *work, size_t part);

/* Calls task(work, 0) ... task(work, parts - 1), and returns when all have returned. The
 * calling thread does part 0, and each part whose thread cannot be started. The others
 * have threads of their own, which handle no signals. */
void gp_parallel(size_t parts, gp_task *task, void *work);

#endif
