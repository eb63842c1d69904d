/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * New files that have no name until they are complete.
 *
 * A file without a name disappears when the process ends, for whatever reason. It gets
 * its name in two steps: a temporary name beside the target, then a rename, which
 * replaces an old file. SIGHUP, SIGINT and SIGTERM wait until these steps are done. So
 * only SIGKILL and a crash of the machine can leave a temporary name, or only some of
 * several new files, and only between the steps.
 *
 * Some file systems do not support files without names (O_TMPFILE), or cannot name them
 * later. There, the file gets a temporary name that is deleted at once, and is copied at
 * the end. A pending signal stops the copying and deletes the copy.
 */
#ifndef GP_BASE_NEW_FILE_H
#define GP_BASE_NEW_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

/* Creates a file without a name, in the directory of `target`. Returns its descriptor;
 * -1 on failure. */
int gp_new_file_open(const char *target, mode_t mode, gp_error *error);

/* Gives the file the permissions of an old one and, if possible, its owner. False on
 * failure, with errno set. */
bool gp_new_file_set_owner(int file, const struct stat *old);

typedef struct gp_new_file {
  int file;              /* descriptor; -1: the target is removed, if it exists */
  const char *target;    /* its name; an old file is replaced */
  bool is_first;         /* an existing file is an error */
  const char *last_name; /* a name that the file gets in place of `target` when all files
                            have their names; or NULL */
  gp_error *error;       /* receives an error about this file */
} gp_new_file;

/* Gives files their names, or removes old ones, one after the other: all of them or, if
 * one step fails, none. While others follow, an old file has a second, temporary name,
 * from which it is restored. */
bool gp_new_files_name(const gp_new_file *files, size_t count);

#endif
