/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of the profile's files, which the process, the number of the profile, and the
 * option `output` or GMON_OUT_PREFIX determine.
 *
 * The value of the option is a pattern with placeholders: %e is the name of the program,
 * %h the name of the host, %p the id of the process, %r its rank among the processes that
 * a launcher such as mpirun has started, and %% a percent sign. Commas separate the
 * recorder's options: in names, "%2C" stands for a comma, and "%25" for a percent sign.
 */
#ifndef GPROF_RUNTIME_FILE_NAMES_H
#define GPROF_RUNTIME_FILE_NAMES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct file_name {
  char path[2 * PATH_MAX];
  bool is_chosen; /* the user has typed the name: nothing was added to it */
  char target[2 * PATH_MAX]; /* what the path leads to: see output.h */
  char temporary[2 * PATH_MAX + 32]; /* path until the file is complete */
} file_name;

/* Sets the directory for relative names; false if it is not an absolute path, or is too
 * long. Without it, that is the program's current directory when it first writes a
 * profile. */
bool rec_set_directory(const char *path);

/* Sets `path` (PATH_MAX bytes) to a name, below that directory unless it is absolute. The
 * name stays relative if the path would be too long. */
void rec_set_absolute(char *path, const char *name);

/* Whether the program has changed its root directory since its start. */
bool rec_has_other_root(void);

/* Whether the program has changed its user since its start. Sets `*id` to the current
 * one. */
bool rec_has_other_user(uint64_t *id);

/* Sets the pattern; false if it has an unknown placeholder, is empty, or is too long. */
bool rec_set_pattern(const char *given);

/* Begins the names of this process. They contain its id if `numbered` is true. `first` is
 * the number of the process's first profile. */
void rec_begin_names(char **environment, bool numbered, unsigned first);

/* Sets the prefix that is used without GMON_OUT_PREFIX and the option. */
void rec_set_prefix(const char *given);

/* Reads GMON_OUT_PREFIX. Names made before do not change. */
void rec_read_prefix(char **environment);

/* Returns the number of the present profile, and begins the next one. */
unsigned rec_profile_number(void);
void rec_next_profile_number(void);

/* Sets the name of a file of the present profile. */
void rec_set_name(file_name *f, const char *suffix);

/* Sets the temporary name, beside the target. */
void rec_set_temporary(file_name *f);

#endif
