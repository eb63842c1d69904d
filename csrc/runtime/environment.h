/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's variables in the environment: LD_PRELOAD and GPROF_RECORDER. They are
 * removed at the start, so that programs started by the recorded one are not recorded.
 * With the option follow, the variables stay.
 */
#ifndef GPROF_RUNTIME_ENVIRONMENT_H
#define GPROF_RUNTIME_ENVIRONMENT_H

#include <stdbool.h>

/* Returns the value of a variable; NULL if it is not set. `name` ends with "=". Unlike
 * getenv, works when the first constructor runs. */
const char *rec_variable(char **environment, const char *name);

/* Whether the program runs under valgrind, which adds its library to LD_PRELOAD. */
bool rec_is_in_valgrind(char **environment);

/* Removes the recorder from the environment. Other libraries in LD_PRELOAD stay. */
void rec_leave_environment(char **environment);

/* Returns a copy of an environment in which the option `name` ("NAME=") of GPROF_RECORDER
 * is set to `value`. Returns the environment itself if it lacks this variable, or if
 * there is no memory. */
char *const *rec_set_option(char *const *environment, const char *name,
                            const char *value);

/* Releases what rec_set_option returned for `environment`. */
void rec_release_environment(char *const *made, char *const *environment);

#endif
