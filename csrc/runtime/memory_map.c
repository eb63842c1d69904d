/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/memory_map.h"

#include <fcntl.h>

#include "runtime/linux.h"

void rec_open_map(map_reader *r) {
  r->left = 0;
  r->file = SYSTEM_CALL(openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
}

void rec_close_map(map_reader *r) {
  if (r->file >= 0) SYSTEM_CALL(close, r->file, 0, 0, 0);
}

static int next_byte(map_reader *r) {
  if (r->file < 0) return -1;
  if (r->left == 0) {
    r->left = SYSTEM_CALL(read, r->file, r->bytes, sizeof r->bytes, 0);
    r->at = r->bytes;
    if (r->left <= 0) return r->left = 0, -1;
  }
  r->left--;
  return *r->at++;  // NOLINT(clang-analyzer-core.uninitialized.UndefReturn)
}

/* Reads a number, and the byte after it. */
static uintptr_t next_number(map_reader *r, unsigned base, int *after) {
  uintptr_t number = 0;
  for (;;) {
    const int byte = next_byte(r);
    if (byte >= '0' && byte <= '9')
      number = number * base + (uintptr_t)(byte - '0');
    else if (byte >= 'a' && byte <= 'f')
      number = number * base + (uintptr_t)(byte - 'a' + 10);
    else {
      *after = byte;
      return number;
    }
  }
}

/* Reads the rest of a line, without blanks at its start. */
static void read_path(map_reader *r, int byte, char *path, size_t size) {
  while (byte == ' ') byte = next_byte(r);
  for (; byte >= 0 && byte != '\n'; byte = next_byte(r))
    if (path && size > 1) {
      *path++ = (char)byte;
      size--;
    }
  if (path) *path = '\0';
}

/* A line is "LOW-HIGH rwxp OFFSET MAJOR:MINOR INODE PATH". */
bool rec_next_mapping(map_reader *r, mapping *m, char *path, size_t size) {
  int after;
  m->low = next_number(r, 16, &after);
  m->high = next_number(r, 16, &after);
  if (after < 0) return false;
  (void)next_byte(r);
  (void)next_byte(r);
  m->executable = next_byte(r) == 'x';
  (void)next_byte(r);
  (void)next_byte(r);
  m->offset = next_number(r, 16, &after);
  m->device = next_number(r, 16, &after) << 32;
  m->device |= next_number(r, 16, &after);
  m->inode = next_number(r, 10, &after);
  read_path(r, after, path, size);
  return true;
}
