/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profile of this process, from the recorder or from the C library's code for -pg.
 *
 * gp_own_take pauses recording and takes the profile up to now; gp_own_settle decides
 * what becomes of it, and gp_own_resume resumes recording. Later records go to a file of
 * the process at its end, unless they are negligible. If the profile was not added to a
 * sum, it becomes part of this file.
 */
#ifndef GP_MPI_OWN_PROFILE_H
#define GP_MPI_OWN_PROFILE_H

#include <stdbool.h>

#include "mpi/plain_profile.h"

/* A profile that was taken: open files, or -1. */
typedef struct gp_own_profile {
  int gmon, contexts;
} gp_own_profile;

/* Called at the start. If the user has chosen no name, files of the process have its rank
 * in their names: gmon.out.RANK.PROCESS. */
void gp_own_start(int rank);

/* Takes the profile, which gp_own_close closes. */
gp_taken gp_own_take(gp_own_profile *profile, gp_error *error);
void gp_own_close(gp_own_profile *profile);

/* If `in_sum`, the profile that was taken is in a sum. Otherwise it will be in the own
 * file; returns false, and a message that names the file, if it cannot be written. */
bool gp_own_settle(bool in_sum, gp_error *error);

/* Called when recording may go on. */
void gp_own_resume(void);

#endif
