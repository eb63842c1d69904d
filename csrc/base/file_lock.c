/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks on files that are read and then replaced. */
#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/crc32.h"

/* --- files --------------------------------------------------------------------- */

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

/* If another process held the lock, it has usually replaced the file by now. Then our
 * lock is on the old file, and the new file must be locked instead. */
gp_lock_state gp_file_lock(const char *path, bool follow, bool wait, int *file) {
  for (;;) {
    *file = open_regular(path, follow);
    if (*file < 0) return errno == ENOENT ? GP_LOCK_MISSING : GP_LOCK_NONE;
    gp_lock_state state = lock_whole(*file, wait);
    struct stat opened, named;
    if (state == GP_LOCK_HELD && fstat(*file, &opened) == 0 &&
        get_status(path, follow, &named) && opened.st_dev == named.st_dev &&
        opened.st_ino == named.st_ino)
      return state;  /* the path still leads to the open file */
    close(*file);
    *file = -1;
    if (state != GP_LOCK_HELD) return state;
  }
}

/* --- names --------------------------------------------------------------------- */

/* A directory cannot be opened for writing, so only read locks are possible, which do not
 * exclude each other. So a process takes a read lock, and keeps it if no other process
 * has one. If two processes try at the same time, both may fail and must try again. */
static gp_lock_state try_lock(int directory, off_t name) {
  struct flock ours = {
      .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = name, .l_len = 1};
  struct flock others = ours;
  others.l_type = F_WRLCK;
  if (fcntl(directory, F_OFD_SETLK, &ours) != 0 ||
      fcntl(directory, F_OFD_GETLK, &others) != 0)
    return GP_LOCK_NONE;
  if (others.l_type == F_UNLCK) return GP_LOCK_HELD;
  ours.l_type = F_UNLCK;
  fcntl(directory, F_OFD_SETLK, &ours);
  return GP_LOCK_BUSY;
}

/* The number of attempts before a lock is reported as busy. One failed attempt can mean
 * that another process tried at the same time. */
#define ATTEMPTS 4

/* Returns the offset of the byte to lock in the directory for a file name. Different
 * names rarely have the same offset. */
static off_t place_of(const char *name) {
  gp_crc32 crc;
  gp_crc32_init(&crc);
  gp_crc32_add(&crc, (const unsigned char *)name, strlen(name));
  return (off_t)gp_crc32_value(&crc);
}

gp_lock_state gp_name_lock(const char *path, bool wait, int *file) {
  const char *slash = strrchr(path, '/');
  char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  *file = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(directory);
  if (*file < 0) return GP_LOCK_NONE;
  off_t name = place_of(slash ? slash + 1 : path);
  gp_lock_state state = try_lock(*file, name);
  for (int tries = 1; state == GP_LOCK_BUSY && (wait || tries < ATTEMPTS); tries++) {
    /* 2 to 10 ms: processes that try at the same time wait for different times */
    struct timespec now, pause = {0, 2000000};
    clock_gettime(CLOCK_MONOTONIC, &now);
    pause.tv_nsec += (now.tv_nsec ^ (long)getpid() * 7919) % 8000000;
    nanosleep(&pause, NULL);
    state = try_lock(*file, name);
  }
  if (state == GP_LOCK_HELD) return state;
  close(*file);
  *file = -1;
  return state;
}
