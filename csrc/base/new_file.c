/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New files that have no name until they are complete. */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number of temporary names to try. Killed processes may have left files with some of
 * them. */
#define MAX_NAMES 100

/* Space in bytes for the suffix of a temporary name: process id, number and ".tmp". */
#define SUFFIX ((size_t)40)

static bool fail_system(gp_error *error, const char *what) {
  return gp_fail(error, "%s: %s", what, strerror(errno));
}

/* --- signals ------------------------------------------------------------------- */

/* Blocks the signals that end the process. Skips signals that are already blocked,
 * because release_signals unblocks all of `held`. Also skips ignored signals: while
 * blocked, they would become pending, and copy_bytes would stop. */
static void hold_signals(sigset_t *held) {
  static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
  sigset_t before;
  sigemptyset(held);
  pthread_sigmask(SIG_BLOCK, NULL, &before);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction action;
    if (sigismember(&before, signals[i]) == 0 &&
        sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(held, signals[i]);
  }
  pthread_sigmask(SIG_BLOCK, held, NULL);
}

static void release_signals(const sigset_t *held) {
  pthread_sigmask(SIG_UNBLOCK, held, NULL);
}

/* Whether one of the held signals is pending. */
static bool is_interrupted(const sigset_t *held) {
  sigset_t pending, both;
  sigpending(&pending);
  sigandset(&both, &pending, held);
  return !sigisemptyset(&both);
}

/* --- temporary names ----------------------------------------------------------- */

/* The length of the directory in a path, including the slash. */
static size_t directory_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* A temporary path is a prefix of `target` and a suffix. Returns the length of the
 * prefix: the file name is cut so that it fits in NAME_MAX together with the suffix. */
static int prefix_length(const char *target) {
  size_t directory = directory_length(target), length = strlen(target) - directory;
  return (int)(directory + (length < NAME_MAX - SUFFIX ? length : NAME_MAX - SUFFIX));
}

/* A file that gets a temporary name. */
typedef struct named_file {
  int file;              /* descriptor */
  mode_t mode;           /* permissions of a file to create */
} named_file;

static bool create(const char *name, named_file *made) {
  made->file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, made->mode);
  return made->file >= 0;
}

/* Gives a name to a file without one. The first attempt needs a privilege (for
 * AT_EMPTY_PATH), the second needs /proc. */
static bool link_nameless(const char *name, named_file *made) {
  char path[40];
  if (linkat(made->file, "", AT_FDCWD, name, AT_EMPTY_PATH) == 0) return true;
  snprintf(path, sizeof path, "/proc/self/fd/%d", made->file);
  return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Gives a file a temporary name beside the target. Returns the name (free() it); NULL on
 * failure, with errno set. */
static char *name_temporarily(const char *target, named_file *made,
                              bool (*make)(const char *name, named_file *made)) {
  size_t size = strlen(target) + SUFFIX;
  char *name = malloc(size);
  for (int i = 0; name && i < MAX_NAMES; i++) {
    snprintf(name, size, "%.*s.%ld-%d.tmp", prefix_length(target), target,
             (long)getpid(), i);
    if (make(name, made)) return name;
    if (errno != EEXIST) break;
  }
  free(name);  /* keeps errno */
  return NULL;
}

/* --- opening ------------------------------------------------------------------- */

static int open_nameless(const char *target, mode_t mode) {
  size_t length = directory_length(target);
  char *directory = length > 0 ? strndup(target, length) : strdup(".");
  int file = directory ? open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, mode) : -1;
  free(directory);
  return file;
}

/* Creates a file and deletes its name. */
static int open_deleted(const char *target, mode_t mode) {
  named_file made = {-1, mode};
  sigset_t held;
  hold_signals(&held);
  char *name = name_temporarily(target, &made, create);
  if (name) unlink(name);
  release_signals(&held);
  free(name);
  return made.file;
}

int gp_new_file_open(const char *target, mode_t mode, gp_error *error) {
  int file = open_nameless(target, mode);
  if (file < 0) file = open_deleted(target, mode);
  if (file >= 0) return file;
  if (errno == ENOENT)
    gp_fail(error, "its directory does not exist");
  else
    fail_system(error, "cannot create a file in its directory");
  return -1;
}

bool gp_new_file_set_owner(int file, const struct stat *old) {
  struct stat new;
  mode_t mode = old->st_mode & 07777;
  if (fstat(file, &new) != 0) return false;
  bool other = new.st_uid != old->st_uid || new.st_gid != old->st_gid;
  /* without the privilege to change the owner, drop the setuid, setgid and sticky bits */
  if (other && fchown(file, old->st_uid, old->st_gid) != 0) mode &= 0777;
  return fchmod(file, mode) == 0;
}

/* --- naming -------------------------------------------------------------------- */

/* Writes data and metadata to disk, so that no name refers to an incomplete file, even
 * after a crash of the machine. Also detects late write errors. EINVAL means that the
 * file system does not support fsync(). */
static bool sync_file(int file) { return fsync(file) == 0 || errno == EINVAL; }

static bool write_all(int file, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t now = write(file, bytes, count);
    if (now < 0 && errno != EINTR) return false;
    if (now > 0) {
      bytes += now;
      count -= (size_t)now;
    }
  }
  return true;
}

/* Copies a whole file, unless a held signal arrives. */
static bool copy_bytes(int from, int to, const sigset_t *held) {
  char window[65536];
  off_t offset = 0;
  for (;;) {
    ssize_t got = pread(from, window, sizeof window, offset);
    if (got == 0) return true;
    if (got < 0 || !write_all(to, window, (size_t)got)) return false;
    offset += got;
    if (is_interrupted(held)) {
      errno = EINTR;
      return false;
    }
  }
}

/* Copies a file that cannot be linked. Returns the temporary name of the copy. */
static char *copy_temporarily(int file, const char *target, const sigset_t *held) {
  named_file copy = {-1, 0600};
  struct stat status;
  if (fstat(file, &status) != 0) return NULL;
  char *name = name_temporarily(target, &copy, create);
  if (!name) return NULL;
  bool done = copy_bytes(file, copy.file, held) &&
              gp_new_file_set_owner(copy.file, &status) && sync_file(copy.file);
  done = close(copy.file) == 0 && done;
  if (done) return name;
  int problem = errno;
  unlink(name);
  free(name);
  errno = problem;
  return NULL;
}

/* Gives a file its final name. Fails if the target exists. On file systems without hard
 * links, another process could create the target between access() and rename(). */
static bool name_first(const char *name, const char *target) {
  if (link(name, target) == 0) return unlink(name) == 0;
  return errno != EEXIST && access(target, F_OK) != 0 && rename(name, target) == 0;
}

/* Removes the target, if it exists. */
static bool remove_target(const gp_new_file *old) {
  if (unlink(old->target) == 0 || errno == ENOENT) return true;
  return fail_system(old->error, "cannot be removed");
}

/* What was done to a target. */
typedef enum step {
  UNCHANGED,
  CREATED,               /* there was no file */
  EXCHANGED,             /* the old file has the temporary name */
  REPLACED               /* the old file is gone: its file system cannot exchange files */
} step;

/* Gives the file with the temporary name `name` the name of its target. */
static step replace_target(const char *name, const gp_new_file *new) {
  if (new->is_first) return name_first(name, new->target) ? CREATED : UNCHANGED;
  if (renameat2(AT_FDCWD, name, AT_FDCWD, new->target, RENAME_EXCHANGE) == 0)
    return EXCHANGED;
  bool was_there = errno != ENOENT;
  if (rename(name, new->target) != 0) return UNCHANGED;
  return was_there ? REPLACED : CREATED;
}

/* Names a file, or removes the target if there is no file. */
static step move(const char *name, const gp_new_file *new) {
  if (!name) return remove_target(new) ? REPLACED : UNCHANGED;
  step done = replace_target(name, new);
  if (done != UNCHANGED) return done;
  if (new->is_first && access(new->target, F_OK) == 0)
    gp_fail(new->error, "was created by another process meanwhile: run the command "
            "again");
  else
    fail_system(new->error, "cannot be replaced");
  return UNCHANGED;
}

/* Puts the old file back. */
static void undo(const char *name, const gp_new_file *new, step done) {
  if (done == CREATED) unlink(new->target);
  if (done == EXCHANGED)
    renameat2(AT_FDCWD, name, AT_FDCWD, new->target, RENAME_EXCHANGE);
}

/* Returns a temporary name of a file; NULL on failure. */
static char *temporary_name(const gp_new_file *new, const sigset_t *held) {
  named_file made = {new->file, 0};
  char *name = name_temporarily(new->target, &made, link_nameless);
  if (!name) name = copy_temporarily(new->file, new->target, held);
  if (!name) fail_system(new->error, "cannot be written");
  return name;
}

/* Gives the files temporary names. */
static bool name_all_temporarily(const gp_new_file *files, size_t count, char **names,
                                 const sigset_t *held) {
  for (size_t i = 0; i < count; i++) {
    if (files[i].file < 0) continue;
    names[i] = temporary_name(&files[i], held);
    if (!names[i]) return false;
  }
  return true;
}

/* Gives files their last names, which no other file needs until then. */
static bool name_last(const gp_new_file *files, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (files[i].last_name && rename(files[i].target, files[i].last_name) != 0)
      return fail_system(files[i].error, "cannot get its name");
  return true;
}

/* Gives the files their final names. If that fails for one, all targets are as before. */
static bool name_all(const gp_new_file *files, size_t count, char **names) {
  step steps[GP_NEW_FILES] = {UNCHANGED};
  size_t named = 0;
  while (named < count) {
    steps[named] = move(names[named], &files[named]);
    if (steps[named] == UNCHANGED) break;
    named++;
  }
  if (named == count && name_last(files, count)) return true;
  while (named-- > 0) undo(names[named], &files[named], steps[named]);
  return false;
}

bool gp_new_files_name(const gp_new_file *files, size_t count) {
  char *names[GP_NEW_FILES] = {NULL};
  sigset_t held;
  for (size_t i = 0; i < count; i++)
    if (files[i].file >= 0 && !sync_file(files[i].file))
      return fail_system(files[i].error, "cannot be written");
  hold_signals(&held);
  bool done = name_all_temporarily(files, count, names, &held) &&
              name_all(files, count, names);
  for (size_t i = 0; i < count; i++) {
    if (names[i]) unlink(names[i]);
    free(names[i]);
  }
  release_signals(&held);
  return done;
}
