/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of the profile's files, which the process, the number of the profile and
 * GMON_OUT_PREFIX determine.
 */
#ifndef GPROF_RUNTIME_FILE_NAMES_H
#define GPROF_RUNTIME_FILE_NAMES_H

#include <limits.h>
#include <stdbool.h>

typedef struct file_name {
  char path[2 * PATH_MAX];
  char temporary[2 * PATH_MAX + 32]; /* path until the file is complete */
} file_name;

/* Begins the names of this process. They contain its id if `numbered` is true. `first` is
 * the number of the process's first profile. */
void rec_begin_names(char **environment, bool numbered, unsigned first);

/* Reads GMON_OUT_PREFIX. Names made before do not change. */
void rec_read_prefix(char **environment);

/* Returns the number of the present profile, and begins the next one. */
unsigned rec_profile_number(void);
void rec_next_profile_number(void);

/* Sets the name of a file of the present profile. */
void rec_set_name(file_name *f, const char *suffix);

#endif
