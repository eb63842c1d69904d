/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A checked stream of bytes.
 *
 * Files, pipes and standard input are read through one small window, so that
 * memory never depends on a file's size nor on what its header claims. Nothing
 * is handed out that was not read.
 */
#ifndef GP_BASE_READER_H
#define GP_BASE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The most that can be looked at in one piece, in bytes. */
#define GP_READER_WINDOW ((size_t)65536)

typedef struct gp_reader {
  int file;              /* descriptor */
  bool owned;            /* to be closed in the end: standard input is not */
  uint64_t offset;       /* of the next byte to be taken, from the start */
  uint64_t size;         /* of the file; UINT64_MAX for what has no size */
  size_t begin, end;     /* what is in the window and was not taken yet */
  bool failed;           /* a read error; the text is in `error` */
  gp_error *error;       /* where read errors are reported */
  unsigned char *window;
} gp_reader;

/* Opens `path`; "-" is standard input. The error is kept for later reads. */
bool gp_reader_open(gp_reader *reader, const char *path, gp_error *error);

/* The same for what the caller has open, from where that stands. It stays open. */
bool gp_reader_share(gp_reader *reader, int file, gp_error *error);

void gp_reader_close(gp_reader *reader);

/* How many bytes can be taken without reading on. */
static inline size_t gp_reader_at_hand(const gp_reader *reader) {
  return reader->end - reader->begin;
}

/* How many bytes can be looked at without moving on: up to `wanted`, fewer only
 * where the file ends. */
size_t gp_reader_available(gp_reader *reader, size_t wanted);

/* The next `count` bytes (at most GP_READER_WINDOW) without moving on, which stay valid
 * until the next call; NULL if fewer are left, or after a read error (see `failed`). */
const unsigned char *gp_reader_peek(gp_reader *reader, size_t count);

/* The same, and moves on. Small records by the million are taken by this. */
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

/* False if a file whose size is known holds fewer than `count` bytes from here. */
bool gp_reader_may_hold(const gp_reader *reader, uint64_t count);

#endif
