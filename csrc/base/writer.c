/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that is written as a whole or not at all. */
#include "base/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many links one behind the other as Linux follows. */
#define MOST_LINKS 40

/* As many names are tried for the new file: others may be left over
 * from somebody killed. */
#define MOST_NAMES 100

/* The most bytes that such a name ends with. */
#define ENDING ((size_t)40)

static bool fail_write(gp_writer *writer, const char *what) {
  return gp_fail(writer->error, "%s: %s", what, strerror(errno));
}

/* `name` seen from the directory that `path` is in. */
static char *beside(const char *path, const char *name) {
  const char *slash = *name == '/' ? NULL : strrchr(path, '/');
  size_t directory = slash ? (size_t)(slash - path) + 1 : 0, size = strlen(name) + 1;
  char *joined = malloc(directory + size);
  if (!joined) return NULL;
  memcpy(joined, path, directory);
  memcpy(joined + directory, name, size);
  return joined;
}

/* The name of what `path` leads to in the end, which need not be there. */
static char *follow_links(gp_writer *writer, const char *path) {
  char link[PATH_MAX], *end = strdup(path);
  for (int i = 0; end; i++) {
    ssize_t length = readlink(end, link, sizeof link - 1);
    if (length < 0) return end;  /* it is no link */
    link[length] = '\0';
    char *next = i < MOST_LINKS ? beside(end, link) : NULL;
    free(end);
    end = next;
    if (i == MOST_LINKS) {
      errno = ELOOP;
      fail_write(writer, "cannot be written");
      return NULL;
    }
  }
  gp_fail_memory(writer->error);
  return NULL;
}

/* Holds the signals that ask a process to end, or end it for what it writes, but for
 * those that somebody else holds. */
static void hold_signals(gp_writer *writer) {
  static const int ends[] = {SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, NULL, &before);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (sigismember(&before, ends[i]) == 0) sigaddset(&writer->held, ends[i]);
  pthread_sigmask(SIG_BLOCK, &writer->held, NULL);
}

/* How much of the target's name that of the new file begins with: it may be as long as
 * names can be. */
static int beginning(const char *target) {
  const char *slash = strrchr(target, '/');
  size_t directory = slash ? (size_t)(slash - target) + 1 : 0;
  size_t length = strlen(target) - directory;
  return (int)(directory + (length < NAME_MAX - ENDING ? length : NAME_MAX - ENDING));
}

/* Makes the new file beside the old one. */
static bool make_file(gp_writer *writer, mode_t mode) {
  size_t size = strlen(writer->target) + ENDING;
  writer->growing = malloc(size);
  if (!writer->growing) return gp_fail_memory(writer->error);
  hold_signals(writer);
  for (int i = 0; i < MOST_NAMES; i++) {
    snprintf(writer->growing, size, "%.*s.%ld-%d.tmp", beginning(writer->target),
             writer->target, (long)getpid(), i);
    writer->file = open(writer->growing, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (writer->file >= 0) return true;
    if (errno != EEXIST) break;
  }
  if (errno == ENOENT)
    gp_fail(writer->error, "its directory does not exist");
  else
    fail_write(writer, "no new file can be made beside it");
  free(writer->growing);  /* it is not ours, if there is one */
  writer->growing = NULL;
  return false;
}

/* Gives the new file what belongs to the old one. */
static bool copy_owner(gp_writer *writer, const struct stat *old) {
  struct stat new;
  mode_t mode = old->st_mode & 07777;
  if (fstat(writer->file, &new) != 0) return fail_write(writer, "cannot be written");
  bool other = new.st_uid != old->st_uid || new.st_gid != old->st_gid;
  /* not everybody may give a file away: then it is the writer's, with no special bits */
  if (other && fchown(writer->file, old->st_uid, old->st_gid) != 0) mode &= 0777;
  return fchmod(writer->file, mode) == 0 ||
         fail_write(writer, "its permissions cannot be kept");
}

/* The descriptor of standard output or error if that goes to this file, or -1: who has
 * sent it there wants it there, and not into a file that has lost its name. */
static int standard_stream(const struct stat *status) {
  for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++) {
    struct stat stream;
    if (fstat(file, &stream) == 0 && stream.st_dev == status->st_dev &&
        stream.st_ino == status->st_ino)
      return file;
  }
  return -1;
}

/* Writes to what a descriptor is open for, from where that stands. */
static bool share(gp_writer *writer, int file) {
  writer->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
  return writer->file >= 0 || fail_write(writer, "cannot be written");
}

static bool open_file(gp_writer *writer, const char *path) {
  struct stat old;
  if (strcmp(path, "-") == 0) return share(writer, STDOUT_FILENO);
  /* opened even if it is only to be replaced: it may be forbidden to write to it */
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
  if (!exists) return make_file(writer, 0666);
  /* what was secret stays so */
  return make_file(writer, 0600) && copy_owner(writer, &old);
}

/* The file of just this name, which is not waited for. */
static bool open_here(gp_writer *writer, const char *path) {
  struct stat old;
  const int how = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  writer->file = open(path, how);
  bool exists = writer->file >= 0;
  if (!exists && errno != ENOENT && errno != ELOOP)
    return fail_write(writer, "cannot be written");
  writer->target = strdup(path);
  if (!writer->target) return gp_fail_memory(writer->error);
  if (!exists) return make_file(writer, 0666);
  if (fstat(writer->file, &old) != 0) return fail_write(writer, "cannot be written");
  if (!S_ISREG(old.st_mode))
    return gp_fail(writer->error, "cannot be written: is not a regular file");
  close(writer->file);
  writer->file = -1;
  return make_file(writer, 0600) && copy_owner(writer, &old);
}

static bool begin(gp_writer *writer, gp_error *error) {
  memset(writer, 0, sizeof *writer);
  writer->error = error;
  writer->file = -1;
  sigemptyset(&writer->held);
  writer->window = malloc(GP_WRITER_WINDOW);
  return writer->window || gp_fail_memory(error);
}

/* The way a writer was opened, or not: then nothing is left of it. */
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

/* Makes sure that all is on the disk before the name changes hands: some failures show
 * only here, and after a crash of the machine the name leads to what is whole, the old
 * file or the new one. Without, it could lead to one of length 0, and the old sum, which
 * often is the only one, would be lost. That takes some milliseconds once for each file:
 * little beside the sums of many, and no report that is printed waits for it. The
 * directory is not waited for: if its change gets lost, the old file is there, which is
 * whole, too. Some file systems cannot tell. */
static bool settle(gp_writer *writer) {
  if (!flush(writer)) return false;
  if (writer->growing && fsync(writer->file) != 0 && errno != EINVAL)
    return fail_write(writer, "cannot be written");
  int file = writer->file;
  writer->file = -1;
  return close(file) == 0 || fail_write(writer, "cannot be written");
}

bool gp_writer_close(gp_writer *writer, bool written) {
  bool done = written && settle(writer);
  if (done && writer->growing && rename(writer->growing, writer->target) != 0)
    done = fail_write(writer, "cannot be replaced");
  if (writer->file >= 0) close(writer->file);
  if (!done && writer->growing) unlink(writer->growing);
  pthread_sigmask(SIG_UNBLOCK, &writer->held, NULL);
  free(writer->target);
  free(writer->growing);
  free(writer->window);
  return done;
}
