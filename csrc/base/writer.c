/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes files atomically. */
#include "base/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/reader.h"

/* The longest chain of symbolic links, as in Linux. */
#define MAX_LINKS 40

static const char IS_LINK[] = "is a symbolic link: links are followed only if an option "
                              "names them, and never with --sandbox";

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

/* Returns the descriptor of standard output or standard error if it is redirected to this
 * file; otherwise -1. If such a file were replaced, the stream would write to the
 * unlinked file. */
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

static bool is_chosen(gp_writer_path kind) {
  return kind == GP_PATH_CHOSEN || kind == GP_PATH_CONFINED;
}

static bool follows_links(const char *path, gp_writer_path kind) {
  if (kind != GP_PATH_CONFINED) return kind == GP_PATH_CHOSEN;
  /* to an open descriptor of this process */
  return strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0 ||
         strncmp(path, "/proc/self/fd/", strlen("/proc/self/fd/")) == 0 ||
         strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0;
}

/* Returns the path of the file to replace. */
static char *find_target(gp_writer *writer, const char *path, gp_writer_path kind) {
  if (follows_links(path, kind)) return follow_links(writer, path);
  char *target = strdup(path);
  if (!target) gp_fail_memory(writer->error);
  return target;
}

/* Starts a new file, which will replace `old` if that is not NULL. */
static bool open_new(gp_writer *writer, const char *path, gp_writer_path kind,
                     const struct stat *old) {
  writer->target = find_target(writer, path, kind);
  if (!writer->target) return false;
  /* private until it has the old file's permissions */
  writer->file = gp_new_file_open(writer->target, old ? 0600 : 0666, writer->error);
  if (writer->file < 0) return false;
  return !old || gp_new_file_set_owner(writer->file, old) ||
         fail_write(writer, "cannot keep its permissions");
}

static bool fail_not_regular(gp_writer *writer) {
  return gp_fail(writer->error, "cannot be written: not a regular file");
}

/* Prepares to write to an existing file, which is open. The data goes directly into the
 * file, or into a new file that will replace it. */
static bool open_old(gp_writer *writer, const char *path, gp_writer_path kind) {
  struct stat old;
  if (fstat(writer->file, &old) != 0) return fail_write(writer, "cannot be written");
  if (!S_ISREG(old.st_mode)) return is_chosen(kind) || fail_not_regular(writer);
  close(writer->file);
  writer->file = -1;
  int stream = standard_stream(&old);
  return stream < 0 ? open_new(writer, path, kind, &old) : share(writer, stream);
}

/* O_NONBLOCK: opening a named pipe that the user did not choose must not wait for a
 * reader. */
static bool open_path(gp_writer *writer, const char *path, gp_writer_path kind) {
  if (strcmp(path, "-") == 0) return share(writer, STDOUT_FILENO);
  int flags = (follows_links(path, kind) ? 0 : O_NOFOLLOW) |
              (is_chosen(kind) ? 0 : O_NONBLOCK);
  /* opened even if it will be replaced, to check for write permission */
  writer->file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | flags);
  if (writer->file >= 0) return open_old(writer, path, kind);
  bool is_link = errno == ELOOP && (flags & O_NOFOLLOW);
  /* the error for a named pipe without a reader, and for a socket */
  if (errno == ENXIO && !is_chosen(kind)) return fail_not_regular(writer);
  if (errno == ENOENT) return open_new(writer, path, kind, NULL);
  if (!is_link) return fail_write(writer, "cannot be written");
  return gp_fail(writer->error, "%s", IS_LINK);
}

static bool begin(gp_writer *writer, gp_error *error) {
  memset(writer, 0, sizeof *writer);
  writer->error = error;
  writer->file = -1;
  writer->window = malloc(GP_WRITER_WINDOW);
  return writer->window || gp_fail_memory(error);
}

/* Returns `done`. If it is false, opening failed, and the writer is closed. */
static bool opened(gp_writer *writer, bool done) {
  if (!done) gp_writer_close(writer, false);
  return done;
}

bool gp_writer_open(gp_writer *writer, const char *path, gp_writer_path kind,
                    gp_error *error) {
  return begin(writer, error) && opened(writer, open_path(writer, path, kind));
}

/* Whether a profile may replace a file: it is missing or empty, or begins like those that
 * the recorders write. */
static bool is_profile(const char *path) {
  struct stat status;
  return stat(path, &status) != 0 || status.st_size == 0 ||
         gp_file_begins(path, "gmon") || gp_file_begins(path, "gprofctx");
}

bool gp_writer_open_profile(gp_writer *writer, const char *path, gp_writer_path kind,
                            gp_error *error) {
  if (!gp_writer_open(writer, path, kind, error)) return false;
  if (!writer->target || is_profile(writer->target)) return true;
  return opened(writer, gp_fail(error, "is not a profile, so it is not replaced"));
}

bool gp_writer_share(gp_writer *writer, int file, gp_error *error) {
  return begin(writer, error) && opened(writer, share(writer, file));
}

bool gp_writer_send(gp_writer *writer, gp_writer_sink *sink, void *into,
                    gp_error *error) {
  bool done = begin(writer, error);
  writer->sink = sink;
  writer->into = into;
  return done;
}

static bool write_file(gp_writer *writer) {
  for (size_t done = 0; done < writer->used;) {
    ssize_t now = write(writer->file, writer->window + done, writer->used - done);
    if (now < 0 && errno != EINTR) return fail_write(writer, "cannot be written");
    if (now > 0) done += (size_t)now;
  }
  return true;
}

static bool flush(gp_writer *writer) {
  bool done = !writer->sink || writer->used == 0
                  ? write_file(writer)
                  : writer->sink(writer->into, writer->window, writer->used,
                                 writer->error);
  if (done) writer->used = 0;
  return done;
}

unsigned char *gp_writer_room(gp_writer *writer, size_t count) {
  if (GP_WRITER_WINDOW - writer->used < count && !flush(writer)) return NULL;
  unsigned char *room = writer->window + writer->used;
  writer->used += count;
  return room;
}

/* Completes the files, and lists those that get their names or are removed. */
static bool list_files(const gp_file_change *changes, size_t count, gp_new_file *files,
                       size_t *listed) {
  gp_error *error = NULL;
  for (size_t i = 0; i < count; i++) {
    gp_writer *w = changes[i].writer;
    if (!w) continue;
    if (!flush(w)) return false;
    if (w->target) error = w->error;
  }
  for (size_t i = 0; i < count && error; i++) {
    const gp_writer *w = changes[i].writer;
    if (!w)
      files[(*listed)++] = (gp_new_file){-1, changes[i].removed, false, NULL, error};
    else if (w->target)
      files[(*listed)++] =
          (gp_new_file){w->file, w->target, w->is_first, w->last_name, w->error};
  }
  return true;
}

/* Writes everything, and replaces the targets. A new file is on the disk before it gets
 * its name: otherwise, after a crash of the machine, an empty file could have replaced
 * the only copy of a summed profile. Syncing takes some milliseconds; printed reports are
 * not affected. The directory is not synced: if the rename is lost, the old file is still
 * complete. */
static bool finish(const gp_file_change *changes, size_t count, gp_new_file *files) {
  size_t listed = 0;
  if (!list_files(changes, count, files, &listed) || !gp_new_files_name(files, listed))
    return false;
  bool done = true;
  for (size_t i = 0; i < count; i++) {
    gp_writer *w = changes[i].writer;
    if (!w || w->file < 0) continue;
    if (close(w->file) != 0 && !w->target) done = fail_write(w, "cannot be written");
    w->file = -1;
  }
  return done;
}

static void discard(gp_writer *writer) {
  if (writer->file >= 0) close(writer->file);
  free(writer->target);
  free(writer->last_name);
  free(writer->window);
}

bool gp_writer_close(gp_writer *writer, bool written) {
  gp_new_file file;
  bool done = written && finish(&(gp_file_change){writer, NULL}, 1, &file);
  discard(writer);
  return done;
}

static bool fail_all(const gp_file_change *changes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (changes[i].writer) return gp_fail_memory(changes[i].writer->error);
  return false;
}

bool gp_writers_close(const gp_file_change *changes, size_t count, bool written) {
  gp_new_file *files = written ? calloc(count, sizeof *files) : NULL;
  bool done = files ? finish(changes, count, files)
                    : written && fail_all(changes, count);
  free(files);
  for (size_t i = 0; i < count; i++)
    if (changes[i].writer) discard(changes[i].writer);
  return done;
}

/* --- files beside others --------------------------------------------------------- */

/* Whether a file is missing, empty, or begins with `magic`. Otherwise it is not one of
 * ours. */
static bool check_kind(const char *path, const char *magic, gp_error *error) {
  struct stat status;
  if (lstat(path, &status) != 0) return true;  /* opening it reports what is wrong */
  if (S_ISLNK(status.st_mode)) return gp_fail(error, "%s", IS_LINK);
  if (!S_ISREG(status.st_mode) || status.st_size == 0 || gp_file_begins(path, magic))
    return true;
  return gp_fail(error, "would be overwritten, but is a file of another kind");
}

bool gp_writer_open_companion(gp_writer *writer, const char *path, const char *magic,
                              gp_error *error) {
  return check_kind(path, magic, error) &&
         gp_writer_open(writer, path, GP_PATH_DERIVED, error);
}

bool gp_writer_open_renamed(gp_writer *writer, const char *path, const char *last_name,
                            const char *magic, gp_error *error) {
  struct stat status;
  if (lstat(last_name, &status) == 0 && !S_ISREG(status.st_mode) &&
      !S_ISLNK(status.st_mode))
    return gp_fail(error, "cannot be written: not a regular file");
  if (!check_kind(last_name, magic, error) ||
      !gp_writer_open_companion(writer, path, magic, error))
    return false;
  writer->last_name = strdup(last_name);
  return writer->last_name || opened(writer, gp_fail_memory(error));
}
