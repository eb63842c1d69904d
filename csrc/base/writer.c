/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes files atomically. */
#include "base/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest chain of symbolic links, as in Linux. */
#define MAX_LINKS 40

/* The number of names to try for the temporary file. Killed processes may have left files
 * with some of these names. */
#define MAX_NAMES 100

/* Space in bytes for the suffix of a temporary name: process id, number and ".tmp". */
#define SUFFIX ((size_t)40)

static bool fail_write(gp_writer *writer, const char *what) {
  return gp_fail(writer->error, "%s: %s", what, strerror(errno));
}

/* Returns the path of `name`, relative to the directory of `path`. NULL if there is no
 * memory. */
static char *resolve(const char *path, const char *name) {
  const char *slash = *name == '/' ? NULL : strrchr(path, '/');
  size_t directory = slash ? (size_t)(slash - path) + 1 : 0, size = strlen(name) + 1;
  char *joined = malloc(directory + size);
  if (!joined) return NULL;
  memcpy(joined, path, directory);
  memcpy(joined + directory, name, size);
  return joined;
}

/* Returns the path that the symbolic links at `path` lead to; the file may not exist. */
static char *follow_links(gp_writer *writer, const char *path) {
  char link[PATH_MAX], *end = strdup(path);
  for (int i = 0; end; i++) {
    ssize_t length = readlink(end, link, sizeof link - 1);
    if (length < 0) return end;  /* not a link */
    link[length] = '\0';
    char *next = i < MAX_LINKS ? resolve(end, link) : NULL;
    free(end);
    end = next;
    if (i == MAX_LINKS) {
      errno = ELOOP;
      fail_write(writer, "cannot be written");
      return NULL;
    }
  }
  gp_fail_memory(writer->error);
  return NULL;
}

/* Blocks the signals that terminate the process. Leaves out those that are already
 * blocked, because gp_writer_close unblocks all of `blocked`. */
static void block_signals(gp_writer *writer) {
  static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, NULL, &before);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigismember(&before, signals[i]) == 0) sigaddset(&writer->blocked, signals[i]);
  pthread_sigmask(SIG_BLOCK, &writer->blocked, NULL);
}

/* Returns how many bytes of `target` the temporary path begins with. The file name is cut
 * so that it does not exceed NAME_MAX together with the suffix. */
static int prefix_length(const char *target) {
  const char *slash = strrchr(target, '/');
  size_t directory = slash ? (size_t)(slash - target) + 1 : 0;
  size_t length = strlen(target) - directory;
  return (int)(directory + (length < NAME_MAX - SUFFIX ? length : NAME_MAX - SUFFIX));
}

/* Creates the temporary file in the directory of the target. */
static bool create_temporary(gp_writer *writer, mode_t mode) {
  size_t size = strlen(writer->target) + SUFFIX;
  writer->temporary = malloc(size);
  if (!writer->temporary) return gp_fail_memory(writer->error);
  block_signals(writer);
  for (int i = 0; i < MAX_NAMES; i++) {
    snprintf(writer->temporary, size, "%.*s.%ld-%d.tmp", prefix_length(writer->target),
             writer->target, (long)getpid(), i);
    writer->file = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (writer->file >= 0) return true;
    if (errno != EEXIST) break;
  }
  if (errno == ENOENT)
    gp_fail(writer->error, "its directory does not exist");
  else
    fail_write(writer, "cannot create a file in its directory");
  free(writer->temporary);  /* not unlinked: a file of that name is another process's */
  writer->temporary = NULL;
  return false;
}

/* Gives the temporary file the permissions of the old file and, if possible, its
 * owner. */
static bool copy_owner(gp_writer *writer, const struct stat *old) {
  struct stat new;
  mode_t mode = old->st_mode & 07777;
  if (fstat(writer->file, &new) != 0) return fail_write(writer, "cannot be written");
  bool other = new.st_uid != old->st_uid || new.st_gid != old->st_gid;
  /* without the privilege to change the owner, drop the setuid, setgid and sticky bits */
  if (other && fchown(writer->file, old->st_uid, old->st_gid) != 0) mode &= 0777;
  return fchmod(writer->file, mode) == 0 ||
         fail_write(writer, "cannot keep its permissions");
}

/* Returns the descriptor of standard output or error if it is redirected to this file;
 * otherwise -1. Replacing such a file would leave the stream writing to an unlinked
 * one. */
static int standard_stream(const struct stat *status) {
  for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++) {
    struct stat stream;
    if (fstat(file, &stream) == 0 && stream.st_dev == status->st_dev &&
        stream.st_ino == status->st_ino)
      return file;
  }
  return -1;
}

/* Writes to a duplicate of the descriptor `file`. */
static bool share(gp_writer *writer, int file) {
  writer->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
  return writer->file >= 0 || fail_write(writer, "cannot be written");
}

static bool open_file(gp_writer *writer, const char *path) {
  struct stat old;
  if (strcmp(path, "-") == 0) return share(writer, STDOUT_FILENO);
  /* opened even if it will be replaced, to check for write permission */
  int file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  bool exists = file >= 0;
  if (!exists && errno != ENOENT) return fail_write(writer, "cannot be written");
  if (exists) {
    writer->file = file;
    if (fstat(file, &old) != 0) return fail_write(writer, "cannot be written");
    if (!S_ISREG(old.st_mode)) return true;
    close(file);
    writer->file = -1;
    int stream = standard_stream(&old);
    if (stream >= 0) return share(writer, stream);
  }
  writer->target = follow_links(writer, path);
  if (!writer->target) return false;
  if (!exists) return create_temporary(writer, 0666);
  /* private until copy_owner has set the old file's permissions */
  return create_temporary(writer, 0600) && copy_owner(writer, &old);
}

/* O_NONBLOCK: opening a named pipe must not wait for a reader. */
static bool open_here(gp_writer *writer, const char *path) {
  struct stat old;
  const int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  writer->file = open(path, flags);
  bool exists = writer->file >= 0;
  if (!exists && errno != ENOENT && errno != ELOOP)
    return fail_write(writer, "cannot be written");
  writer->target = strdup(path);
  if (!writer->target) return gp_fail_memory(writer->error);
  if (!exists) return create_temporary(writer, 0666);
  if (fstat(writer->file, &old) != 0) return fail_write(writer, "cannot be written");
  if (!S_ISREG(old.st_mode))
    return gp_fail(writer->error, "cannot be written: is not a regular file");
  close(writer->file);
  writer->file = -1;
  return create_temporary(writer, 0600) && copy_owner(writer, &old);
}

static bool begin(gp_writer *writer, gp_error *error) {
  memset(writer, 0, sizeof *writer);
  writer->error = error;
  writer->file = -1;
  sigemptyset(&writer->blocked);
  writer->window = malloc(GP_WRITER_WINDOW);
  return writer->window || gp_fail_memory(error);
}

/* Returns `done`; cleans up if opening failed. */
static bool opened(gp_writer *writer, bool done) {
  if (!done) gp_writer_close(writer, false);
  return done;
}

bool gp_writer_open(gp_writer *writer, const char *path, gp_error *error) {
  return begin(writer, error) && opened(writer, open_file(writer, path));
}

bool gp_writer_open_here(gp_writer *writer, const char *path, gp_error *error) {
  return begin(writer, error) && opened(writer, open_here(writer, path));
}

bool gp_writer_share(gp_writer *writer, int file, gp_error *error) {
  return begin(writer, error) && opened(writer, share(writer, file));
}

static bool flush(gp_writer *writer) {
  for (size_t done = 0; done < writer->used;) {
    ssize_t now = write(writer->file, writer->window + done, writer->used - done);
    if (now < 0 && errno != EINTR) return fail_write(writer, "cannot be written");
    if (now > 0) done += (size_t)now;
  }
  writer->used = 0;
  return true;
}

unsigned char *gp_writer_room(gp_writer *writer, size_t count) {
  if (GP_WRITER_WINDOW - writer->used < count && !flush(writer)) return NULL;
  unsigned char *room = writer->window + writer->used;
  writer->used += count;
  return room;
}

/* Writes everything to disk and closes the file. The fsync before the rename detects late
 * write errors, and ensures that the path leads to a complete file, old or new, after a
 * crash of the machine. Without it, an empty file could replace the only copy of a summed
 * profile. It takes some milliseconds per file; printed reports are not affected. The
 * directory is not synced: if the rename is lost, the old file is still complete. The
 * error EINVAL is ignored: the file system does not support fsync. */
static bool finish(gp_writer *writer) {
  if (!flush(writer)) return false;
  if (writer->temporary && fsync(writer->file) != 0 && errno != EINVAL)
    return fail_write(writer, "cannot be written");
  int file = writer->file;
  writer->file = -1;
  return close(file) == 0 || fail_write(writer, "cannot be written");
}

bool gp_writer_close(gp_writer *writer, bool written) {
  bool done = written && finish(writer);
  if (done && writer->temporary && rename(writer->temporary, writer->target) != 0)
    done = fail_write(writer, "cannot be replaced");
  if (writer->file >= 0) close(writer->file);
  if (!done && writer->temporary) unlink(writer->temporary);
  pthread_sigmask(SIG_UNBLOCK, &writer->blocked, NULL);
  free(writer->target);
  free(writer->temporary);
  free(writer->window);
  return done;
}
