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
 * with rec_follow, a copy. If no other program begins, the caller calls
 * rec_end_exec. Needs little stack: posix_spawn has made a small one. */
char *const *rec_prepare_exec(char *const *environment);
void rec_end_exec(char *const *made, char *const *environment);

#endif
