/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * New files that have no name until they are complete.
 *
 * A file without a name disappears when the process ends, for whatever reason. It gets
 * its name in two steps: a temporary name beside the target, then a rename, which
 * replaces an old file. SIGHUP, SIGINT and SIGTERM wait until these steps are done. So
 * only SIGKILL and a crash of the machine can leave a temporary name, and only between
 * the steps.
 *
 * Some file systems do not support files without names (O_TMPFILE), or cannot name them
 * later. There, the file gets a temporary name that is deleted at once, and is copied at
 * the end. A pending signal stops the copying and deletes the copy.
 */
#ifndef GP_BASE_NEW_FILE_H
#define GP_BASE_NEW_FILE_H

#include <sys/stat.h>

#include "base/error.h"

/* Creates a file without a name, in the directory of `target`. Returns its descriptor;
 * -1 on failure. */
int gp_new_file_open(const char *target, mode_t mode, gp_error *error);

/* Gives the file the permissions of an old one and, if possible, its owner. False on
 * failure, with errno set. */
bool gp_new_file_set_owner(int file, const struct stat *old);

/* Gives the file the name `target`. Replaces an old file, unless `is_first`: then an
 * existing file is an error. On failure, the old file is unchanged. */
bool gp_new_file_name(int file, const char *target, bool is_first, gp_error *error);

#endif
