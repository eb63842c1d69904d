/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gmon/context_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/reader.h"
#include "gmon/context_file.h"

/* Profiles with an executable are little-endian. */
static const gp_layout layout = {.pointer_size = 8};

static bool fail_truncated(gp_reader *reader) {
  if (!reader->failed) gp_fail(reader->error, "ends in the middle of a section");
  return false;
}

/* Takes `size` bytes, and copies them to `to` unless that is NULL. */
static bool take(gp_reader *reader, unsigned char *to, uint64_t size) {
  while (size > 0) {
    size_t now = size < GP_READER_WINDOW ? (size_t)size : GP_READER_WINDOW;
    const unsigned char *bytes = gp_reader_take(reader, now);
    if (!bytes) return fail_truncated(reader);
    if (to) memcpy(to, bytes, now);
    if (to) to += now;
    size -= now;
  }
  return true;
}

/* Reads the head of a section. */
static bool next_section(gp_reader *reader, uint32_t *kind, uint64_t *size) {
  const unsigned char *bytes = gp_reader_take(reader, GP_CONTEXT_SECTION);
  if (!bytes) return fail_truncated(reader);
  *kind = gp_u32(bytes, layout);
  *size = gp_u64(bytes + 4, layout);
  return gp_context_check_size(reader, reader->offset - GP_CONTEXT_SECTION, *size,
                               reader->error);
}

/* Skips sections until the one with the executable. */
static bool find_image(gp_reader *reader, uint64_t *size) {
  uint32_t kind = GP_CONTEXT_END;
  if (!take(reader, NULL, GP_CONTEXT_HEADER)) return false;
  do {
    if (kind != GP_CONTEXT_END && !take(reader, NULL, *size)) return false;
    if (!next_section(reader, &kind, size)) return false;
  } while (kind != GP_CONTEXT_IMAGE && kind != GP_CONTEXT_END);
  return kind == GP_CONTEXT_IMAGE ||
         gp_fail(reader->error, "is a profile, and has no functions of its own");
}

static bool read_image(gp_reader *reader, unsigned char **bytes, size_t *size) {
  uint64_t length = 0;
  if (!find_image(reader, &length)) return false;
  *bytes = malloc(length > 0 ? (size_t)length : 1);
  *size = (size_t)length;
  if (!*bytes) return gp_fail_memory(reader->error);
  return take(reader, *bytes, length);
}

bool gp_context_image(const char *path, unsigned char **bytes, size_t *size,
                      gp_error *error) {
  gp_reader reader;
  *bytes = NULL;
  if (!gp_reader_open(&reader, path, error)) return false;
  bool done = read_image(&reader, bytes, size);
  gp_reader_close(&reader);
  if (done) return true;
  free(*bytes);
  *bytes = NULL;
  return false;
}
