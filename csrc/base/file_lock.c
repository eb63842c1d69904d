/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks on files that are read and then replaced. */
#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool get_status(const char *path, bool follow, struct stat *status) {
  return fstatat(AT_FDCWD, path, status, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
}

/* Opens a regular file. Checks the type first, because opening a pipe would affect its
 * reader. */
static int open_regular(const char *path, bool follow) {
  struct stat status;
  if (!get_status(path, follow, &status)) return -1;
  errno = EINVAL;
  if (!S_ISREG(status.st_mode)) return -1;
  return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

static gp_lock_state lock_whole(int file, bool wait) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int done;
  do
    done = fcntl(file, wait ? F_OFD_SETLKW : F_OFD_SETLK, &whole);
  while (done != 0 && wait && errno == EINTR);
  if (done == 0) return GP_LOCK_HELD;
  return errno == EAGAIN || errno == EACCES ? GP_LOCK_BUSY : GP_LOCK_NONE;
}

/* Whether the path still leads to the open file. */
static bool is_current(int file, const char *path, bool follow) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && get_status(path, follow, &named) &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* If another process held the lock, it has usually replaced the file by now. Then our
 * lock is on the old file, and the new file must be locked instead. */
gp_lock_state gp_file_lock(const char *path, bool follow, bool wait, int *file) {
  for (;;) {
    *file = open_regular(path, follow);
    if (*file < 0) return errno == ENOENT ? GP_LOCK_MISSING : GP_LOCK_NONE;
    gp_lock_state state = lock_whole(*file, wait);
    if (state == GP_LOCK_HELD && is_current(*file, path, follow)) return state;
    close(*file);
    *file = -1;
    if (state != GP_LOCK_HELD) return state;
  }
}
