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
  const char *path;      /* name of a file to link */
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

/* Gives a second name to a file. */
static bool link_named(const char *name, named_file *made) {
  return linkat(AT_FDCWD, made->path, AT_FDCWD, name, 0) == 0;
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
  named_file made = {.file = -1, .mode = mode};
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
    sigset_t pending, both;
    sigpending(&pending);
    sigandset(&both, &pending, held);
    if (!sigisemptyset(&both)) {
      errno = EINTR;
      return false;
    }
  }
}

/* Copies a file that cannot be linked. Returns the temporary name of the copy. */
static char *copy_temporarily(int file, const char *target, const sigset_t *held) {
  named_file copy = {.file = -1, .mode = 0600};
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

/* Returns a temporary name of a new file; NULL on failure. */
static char *temporary_name(const gp_new_file *new, const sigset_t *held) {
  named_file made = {.file = new->file};
  char *name = name_temporarily(new->target, &made, link_nameless);
  if (!name) name = copy_temporarily(new->file, new->target, held);
  if (!name) fail_system(new->error, "cannot be written");
  return name;
}

/* A file that gets its name, or is removed. */
typedef struct step {
  const gp_new_file *new;
  const char *target;    /* the name */
  const char *from;      /* the name until then; NULL: the target is removed */
  char *temporary;       /* a temporary name that is in use; NULL: none */
  char *old;             /* a second name of the old file; NULL: there is none */
  bool done;
} step;

/* Gives the old file a second name, from which it can be restored. A file system may have
 * no hard links; then the file is copied. */
static bool keep_old(step *s, const sigset_t *held) {
  named_file old = {.file = -1, .path = s->target};
  s->old = name_temporarily(s->target, &old, link_named);
  if (s->old || errno == ENOENT) return true;
  int file = open(s->target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  s->old = copy_temporarily(file, s->target, held);
  int problem = errno;
  close(file);
  errno = problem;
  return s->old != NULL;
}

/* Gives a file its final name. Fails if the target exists. On file systems without hard
 * links, another process could create the target between access() and rename(). */
static bool name_first(const char *name, const char *target) {
  if (link(name, target) == 0) return unlink(name) == 0;
  return errno != EEXIST && access(target, F_OK) != 0 && rename(name, target) == 0;
}

static bool fail_step(const step *s) {
  if (!s->from)
    return gp_fail(s->new->error, "is unchanged: %s, which belongs to the old file, "
                   "cannot be removed: %s", s->target, strerror(errno));
  if (s->new->is_first && access(s->target, F_OK) == 0)
    return gp_fail(s->new->error, "was created by another process meanwhile: run the "
                   "command again");
  return fail_system(s->new->error, "cannot be replaced");
}

/* Performs a step. The old file is kept if another step follows, which may fail. */
static bool perform(step *s, bool is_last, const sigset_t *held) {
  bool kept = is_last || s->new->is_first || keep_old(s, held);
  s->done = kept && (!s->from           ? unlink(s->target) == 0 || errno == ENOENT
                     : s->new->is_first ? name_first(s->from, s->target)
                                        : rename(s->from, s->target) == 0);
  return s->done || fail_step(s);
}

/* Restores what was there before a step. If that fails, the old file keeps its temporary
 * name. */
static void undo(step *s) {
  if (s->old)
    (void)rename(s->old, s->target);
  else if (s->from)
    (void)unlink(s->target);
  free(s->old);
  s->old = NULL;
}

/* Performs all steps, or none. */
static bool perform_all(step *steps, size_t count, const sigset_t *held) {
  for (size_t i = 0; i < count; i++) {
    if (perform(&steps[i], i + 1 == count, held)) continue;
    while (i-- > 0) undo(&steps[i]);
    return false;
  }
  return true;
}

/* Removes a temporary name, unless its file has its final name. */
static void drop(char *name, bool is_used) {
  if (name && !is_used) unlink(name);
  free(name);
}

/* Makes the steps: files that have two names one after the other get the second name at
 * the end. Returns their number; 0 if a file cannot get a temporary name. */
static size_t plan(step *steps, const gp_new_file *files, size_t count,
                   const sigset_t *held) {
  size_t planned = 0;
  for (const gp_new_file *f = files; f < files + count; f++) {
    step *s = &steps[planned++];
    *s = (step){.new = f, .target = f->target};
    if (f->file < 0) continue;
    s->from = s->temporary = temporary_name(f, held);
    if (!s->from) return 0;
  }
  for (const gp_new_file *f = files; f < files + count; f++)
    if (f->last_name)
      steps[planned++] = (step){.new = f, .target = f->last_name, .from = f->target};
  return planned;
}

bool gp_new_files_name(const gp_new_file *files, size_t count) {
  sigset_t held;
  for (size_t i = 0; i < count; i++)
    if (files[i].file >= 0 && !sync_file(files[i].file))
      return fail_system(files[i].error, "cannot be written");
  if (count == 0) return true;
  step *steps = calloc(2 * count, sizeof *steps);
  if (!steps) return gp_fail_memory(files[0].error);
  hold_signals(&held);
  size_t planned = plan(steps, files, count, &held);
  bool done = planned > 0 && perform_all(steps, planned, &held);
  for (size_t i = 0; i < 2 * count; i++) {
    drop(steps[i].temporary, steps[i].done);
    drop(steps[i].old, false);
  }
  release_signals(&held);
  free(steps);
  return done;
}
