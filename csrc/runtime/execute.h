/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the profile before the program replaces itself with another program.
 */
#ifndef GPROF_RUNTIME_EXECUTE_H
#define GPROF_RUNTIME_EXECUTE_H

#include "runtime/environment.h"
#include "runtime/table.h"

/* Whether programs that the recorded program executes are recorded, too. */
HIDDEN extern bool rec_follow;

/* Writes the profile. Returns the environment for the other program: `environment`; or,
 * with rec_follow, a copy in `copy` and `variable`. `copy` has rec_environment_size
 * elements. */
char *const *rec_prepare_exec(char *const *environment, char **copy,
                              char variable[REC_OPTIONS_SIZE]);

#endif
