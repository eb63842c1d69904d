/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffered, bounds-checked reading. */
#include "base/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool begin(gp_reader *reader, int file, bool owned, gp_error *error) {
  struct stat status;
  memset(reader, 0, sizeof *reader);
  reader->error = error;
  reader->owned = owned;
  reader->file = file;
  reader->size = UINT64_MAX;
  if (file >= 0 && fstat(file, &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      gp_reader_close(reader);
      return gp_fail(error, "is a directory");
    }
    /* a regular file in /proc reports a size of 0, whatever it contains */
    if (S_ISREG(status.st_mode) && reader->owned && status.st_size > 0)
      reader->size = (uint64_t)status.st_size;
  }
  reader->window = malloc(GP_READER_WINDOW);
  if (!reader->window) {
    gp_reader_close(reader);
    return gp_fail_memory(error);
  }
  return true;
}

bool gp_reader_open(gp_reader *reader, const char *path, gp_error *error) {
  if (strcmp(path, "-") == 0) return begin(reader, STDIN_FILENO, false, error);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return gp_fail(error, "%s", strerror(errno));
  return begin(reader, file, true, error);
}

bool gp_reader_share(gp_reader *reader, int file, gp_error *error) {
  return begin(reader, file, false, error);
}

bool gp_reader_receive(gp_reader *reader, gp_reader_source *source, void *from,
                       gp_error *error) {
  bool done = begin(reader, -1, false, error);
  reader->source = source;
  reader->from = from;
  return done;
}

void gp_reader_close(gp_reader *reader) {
  if (reader->owned && reader->file >= 0) close(reader->file);
  free(reader->window);
  reader->file = -1;
  reader->window = NULL;
}

/* Called at the end of the file. Reports an error if the file was truncated since it was
 * opened: truncation between two records would otherwise go unnoticed. Always returns
 * false. */
static bool check_end(gp_reader *reader) {
  if (reader->size == UINT64_MAX ||
      reader->offset + gp_reader_at_hand(reader) >= reader->size)
    return false;
  reader->failed = true;
  return gp_fail(reader->error, "was truncated while being read");
}

static ssize_t read_file(const gp_reader *reader, unsigned char *bytes, size_t size) {
  ssize_t got;
  do got = read(reader->file, bytes, size);
  while (got < 0 && errno == EINTR);
  if (got < 0) gp_fail(reader->error, "cannot be read: %s", strerror(errno));
  return got;
}

/* Reads once into the free space at the end of the window. False at the end of the file
 * or on error. */
static bool fill(gp_reader *reader) {
  unsigned char *bytes = reader->window + reader->end;
  size_t size = GP_READER_WINDOW - reader->end;
  ssize_t got = reader->source
                    ? reader->source(reader->from, bytes, size, reader->error)
                    : read_file(reader, bytes, size);
  if (got < 0) {
    reader->failed = true;
    return false;
  }
  reader->end += (size_t)got;
  return got > 0 || check_end(reader);
}

size_t gp_reader_available(gp_reader *reader, size_t wanted) {
  if (reader->end - reader->begin >= wanted) return wanted;
  memmove(reader->window, reader->window + reader->begin,
          reader->end - reader->begin);
  reader->end -= reader->begin;
  reader->begin = 0;
  while (reader->end < wanted && !reader->failed)
    if (!fill(reader)) break;
  return reader->end < wanted ? reader->end : wanted;
}

const unsigned char *gp_reader_peek(gp_reader *reader, size_t count) {
  if (gp_reader_available(reader, count) < count || reader->failed) return NULL;
  return reader->window + reader->begin;
}

bool gp_reader_may_hold(const gp_reader *reader, uint64_t count) {
  return reader->offset <= reader->size && count <= reader->size - reader->offset;
}

bool gp_file_begins(const char *path, const char *text) {
  char head[16];
  struct stat status;
  size_t size = strlen(text);
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return false;
  bool begins = size <= sizeof head && fstat(file, &status) == 0 &&
                S_ISREG(status.st_mode) && read(file, head, size) == (ssize_t)size &&
                memcmp(head, text, size) == 0;
  close(file);
  return begins;
}
