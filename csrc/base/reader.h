/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Buffered, bounds-checked reading.
 *
 * Files, pipes, standard input and messages are read through a fixed-size window, so
 * memory use does not depend on the size of a file or on sizes claimed in its header.
 */
#ifndef GP_BASE_READER_H
#define GP_BASE_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* Size of the window in bytes: the most that one call returns. */
#define GP_READER_WINDOW ((size_t)65536)

/* Where bytes come from, if not from a descriptor. Stores up to `size` bytes, and returns
 * their number: 0 at the end, -1 after an error, with a message. */
typedef ssize_t gp_reader_source(void *from, unsigned char *bytes, size_t size,
                                 gp_error *error);

typedef struct gp_reader {
  int file;              /* descriptor; -1: bytes come from `source` */
  gp_reader_source *source;
  void *from;            /* first argument of `source` */
  bool owned;            /* gp_reader_close closes the descriptor */
  uint64_t offset;       /* offset of the next unread byte, from where reading began */
  uint64_t size;         /* size of the file in bytes; UINT64_MAX if unknown (a pipe) */
  size_t begin, end;     /* unread bytes in the window */
  bool failed;           /* a read failed; the message is in `error` */
  gp_error *error;       /* receives read errors */
  unsigned char *window;
} gp_reader;

/* Opens `path`; "-" is standard input. `error` must outlive the reader: later reads also
 * report to it. */
bool gp_reader_open(gp_reader *reader, const char *path, gp_error *error);

/* Like gp_reader_open, but reads from the open descriptor `file`, from its current
 * position. The descriptor stays open when the reader is closed. */
bool gp_reader_share(gp_reader *reader, int file, gp_error *error);

/* Like gp_reader_open, but reads what `source` provides. */
bool gp_reader_receive(gp_reader *reader, gp_reader_source *source, void *from,
                       gp_error *error);

void gp_reader_close(gp_reader *reader);

/* The number of unread bytes in the window. */
static inline size_t gp_reader_at_hand(const gp_reader *reader) {
  return reader->end - reader->begin;
}

/* Reads until the window holds `wanted` bytes (at most GP_READER_WINDOW), and returns
 * `wanted`. Returns fewer at the end of the file or after a read error. */
size_t gp_reader_available(gp_reader *reader, size_t wanted);

/* Returns the next `count` bytes (at most GP_READER_WINDOW) without consuming them; valid
 * until the next call. NULL if fewer are left or a read failed (see `failed`). */
const unsigned char *gp_reader_peek(gp_reader *reader, size_t count);

/* Like gp_reader_peek, and consumes the bytes. Inline, because profiles have millions of
 * small records. */
static inline const unsigned char *gp_reader_take(gp_reader *reader, size_t count) {
  const unsigned char *bytes = gp_reader_at_hand(reader) >= count
                                   ? reader->window + reader->begin
                                   : gp_reader_peek(reader, count);
  if (bytes) {
    reader->begin += count;
    reader->offset += count;
  }
  return bytes;
}

/* Whether `count` more bytes may follow: false if the size of the file is known and
 * fewer are left. */
bool gp_reader_may_hold(const gp_reader *reader, uint64_t count);

/* Whether `path` names a regular file, not a link, that begins with this text. */
bool gp_file_begins(const char *path, const char *text);

#endif
