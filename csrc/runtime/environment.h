/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's variables in the environment: LD_PRELOAD and GPROF_RECORDER. They are
 * removed at the start, so that programs started by the recorded one are not recorded.
 * With the option follow, the variables stay.
 */
#ifndef GPROF_RUNTIME_ENVIRONMENT_H
#define GPROF_RUNTIME_ENVIRONMENT_H

#include <stddef.h>

/* Returns the value of a variable; NULL if it is not set. `name` ends with "=". Unlike
 * getenv, works when the first constructor runs. */
const char *rec_variable(char **environment, const char *name);

/* Removes the recorder from the environment. Other libraries in LD_PRELOAD stay. */
void rec_leave_environment(char **environment);

/* Returns the number of elements of an environment, with the NULL at its end. */
size_t rec_environment_size(char *const *environment);

/* The largest size of GPROF_RECORDER=VALUE in bytes, with the terminating NUL. */
#define REC_OPTIONS_SIZE 1024

/* Copies an environment to `into`. If GPROF_RECORDER is set and not too long, puts its
 * new string into `variable`, with the option `name` ("NAME=") set to `value` and moved
 * to the end. */
void rec_set_option(char *const *environment, const char *name, const char *value,
                    char **into, char variable[REC_OPTIONS_SIZE]);

#endif
