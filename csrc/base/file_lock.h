/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locks on files that are read and then replaced.
 *
 * A process that wants to replace the file waits while another one holds the lock. The
 * lock is advisory. It belongs to the open file, not to the process (F_OFD_SETLK), and is
 * independent of flock(), so a script may hold a flock() lock at the same time.
 *
 * A file that does not exist yet is locked by its name, in its directory. A lock ends
 * with the process that holds it, and leaves no file behind.
 */
#ifndef GP_BASE_FILE_LOCK_H
#define GP_BASE_FILE_LOCK_H

#include <stdbool.h>

typedef enum gp_lock_state {
  GP_LOCK_HELD,
  GP_LOCK_BUSY,          /* another process holds the lock */
  GP_LOCK_MISSING,       /* there is no file to lock */
  GP_LOCK_NONE           /* not a regular file, or not writable, or locks unsupported */
} gp_lock_state;

/* Locks the file at `path`. Sets *file to a descriptor that holds the lock until it is
 * closed. With `wait`, waits if another process holds the lock. Follows a symbolic link
 * only with `follow`. */
gp_lock_state gp_file_lock(const char *path, bool follow, bool wait, int *file);

/* Locks the name of a file that does not exist. The directory must be readable. *file and
 * `wait` are as above. The file may exist by the time the lock is held. */
gp_lock_state gp_name_lock(const char *path, bool wait, int *file);

#endif
