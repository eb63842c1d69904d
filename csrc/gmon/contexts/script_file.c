/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the list of functions in the profile of a Lua program. */
#include "gmon/contexts/script_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/reader.h"
#include "gmon/contexts/context_file.h"

/* The profile is little-endian on all machines. */
static const gp_layout layout = {.pointer_size = 8};

static bool take(gp_reader *reader, unsigned char *to, size_t size) {
  while (size > 0) {
    size_t now = size < GP_READER_WINDOW ? size : GP_READER_WINDOW;
    const unsigned char *bytes = gp_reader_take(reader, now);
    if (!bytes && !reader->failed)
      gp_fail(reader->error, "ends in the middle of a section");
    if (!bytes) return false;
    memcpy(to, bytes, now);
    to += now;
    size -= now;
  }
  return true;
}

/* The list is in the first section. */
static bool read_list(gp_reader *reader, unsigned char **bytes, size_t *size) {
  unsigned char head[GP_CONTEXT_HEADER + GP_CONTEXT_SECTION];
  if (!take(reader, head, sizeof head)) return false;
  uint64_t length = gp_u64(head + GP_CONTEXT_HEADER + 4, layout);
  if (gp_u32(head + GP_CONTEXT_HEADER, layout) != GP_CONTEXT_FUNCTIONS) return true;
  if (!gp_context_check_size(reader, GP_CONTEXT_HEADER, length, reader->error))
    return false;
  *bytes = malloc(length > 0 ? (size_t)length : 1);
  *size = (size_t)length;
  if (!*bytes) return gp_fail_memory(reader->error);
  return take(reader, *bytes, *size);
}

bool gp_script_functions_read(const char *path, unsigned char **bytes, size_t *size,
                              gp_error *error) {
  gp_reader reader;
  *bytes = NULL;
  *size = 0;
  if (!gp_reader_open(&reader, path, error)) return false;
  bool done = read_list(&reader, bytes, size);
  gp_reader_close(&reader);
  if (done) return true;
  free(*bytes);
  *bytes = NULL;
  return false;
}
