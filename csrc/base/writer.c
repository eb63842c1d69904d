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

/* The longest chain of symbolic links, as in Linux. */
#define MAX_LINKS 40

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

/* Whether a path names an open descriptor of this process. */
static bool is_descriptor(const char *path) {
  return strncmp(path, "/dev/fd/", strlen("/dev/fd/")) == 0 ||
         strncmp(path, "/proc/self/fd/", strlen("/proc/self/fd/")) == 0 ||
         strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/stderr") == 0;
}

static bool is_chosen(gp_writer_path kind) {
  return kind == GP_PATH_CHOSEN || kind == GP_PATH_CONFINED;
}

static bool follows_links(const char *path, gp_writer_path kind) {
  return kind == GP_PATH_CHOSEN || (kind == GP_PATH_CONFINED && is_descriptor(path));
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

/* Prepares to write to an existing file, which is open. The data goes directly into the
 * file, or into a new file that will replace it. */
static bool open_old(gp_writer *writer, const char *path, gp_writer_path kind) {
  struct stat old;
  if (fstat(writer->file, &old) != 0) return fail_write(writer, "cannot be written");
  if (!S_ISREG(old.st_mode))
    return is_chosen(kind) ||
           gp_fail(writer->error, "cannot be written: not a regular file");
  close(writer->file);
  writer->file = -1;
  int stream = kind == GP_PATH_DERIVED ? -1 : standard_stream(&old);
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
  if (errno == ENOENT || (is_link && kind == GP_PATH_DERIVED))
    return open_new(writer, path, kind, NULL);
  if (!is_link) return fail_write(writer, "cannot be written");
  return gp_fail(writer->error, "is a symbolic link: links are followed only if an "
                 "option names them, and never with --sandbox");
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

/* Writes everything, and replaces the targets. Then removes the file `outdated`, unless
 * it is NULL or no target was replaced. A new file is on the disk before it gets its
 * name: otherwise, after a crash of the machine, an empty file could have replaced the
 * only copy of a summed profile. Syncing takes some milliseconds; printed reports are not
 * affected. The directory is not synced: if the rename is lost, the old file is still
 * complete. */
static bool finish(gp_writer *const *writers, size_t count, const char *outdated) {
  gp_new_file files[GP_NEW_FILES] = {{.file = -1}};
  size_t named = 0;
  for (size_t i = 0; i < count; i++) {
    gp_writer *w = writers[i];
    if (!flush(w)) return false;
    if (w->target)
      files[named++] =
          (gp_new_file){w->file, w->target, w->is_first, w->last_name, w->error};
  }
  if (outdated && named > 0)
    files[named++] = (gp_new_file){-1, outdated, false, NULL, writers[0]->error};
  if (!gp_new_files_name(files, named)) return false;
  bool done = true;
  for (size_t i = 0; i < count; i++) {
    int file = writers[i]->file;
    writers[i]->file = -1;
    if (file >= 0 && close(file) != 0 && !writers[i]->target)
      done = fail_write(writers[i], "cannot be written");
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
  return gp_writer_close_all(writer, (gp_writer_others){NULL, NULL, NULL}, written);
}

bool gp_writer_close_all(gp_writer *writer, gp_writer_others others, bool written) {
  gp_writer *all[GP_NEW_FILES];
  size_t count = 0;
  if (others.before) all[count++] = others.before;
  all[count++] = writer;
  if (others.after) all[count++] = others.after;
  bool done = written && finish(all, count, others.outdated);
  for (size_t i = 0; i < count; i++) discard(all[i]);
  return done;
}

bool gp_writer_open_renamed(gp_writer *writer, const char *path, const char *last_name,
                            gp_error *error) {
  if (!gp_writer_open(writer, path, GP_PATH_DERIVED, error)) return false;
  writer->last_name = strdup(last_name);
  return writer->last_name || opened(writer, gp_fail_memory(error));
}
