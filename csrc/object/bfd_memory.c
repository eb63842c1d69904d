/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets libbfd read object files in memory, through callbacks. */
#include "object/bfd_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"

typedef struct memory {
  const unsigned char *bytes;
  size_t size;
} memory;

static void *open_memory(bfd *file, void *closure) {
  (void)file;
  return closure;
}

static file_ptr read_memory(bfd *file, void *stream, void *to, file_ptr count,
                            file_ptr offset) {
  const memory *from = stream;
  (void)file;
  if (offset < 0 || (uint64_t)offset >= from->size || count < 0) return 0;
  size_t left = from->size - (size_t)offset;
  size_t length = (uint64_t)count < left ? (size_t)count : left;
  memcpy(to, from->bytes + offset, length);
  return (file_ptr)length;
}

static int stat_memory(bfd *file, void *stream, struct stat *status) {
  const memory *from = stream;
  (void)file;
  *status = (struct stat){.st_mode = S_IFREG, .st_size = (off_t)from->size};
  return 0;
}

static int close_memory(bfd *file, void *stream) {
  (void)file;
  free(stream);
  return 0;
}

bfd *gp_bfd_open_memory(const unsigned char *bytes, size_t size) {
  memory *from = gp_column(1, sizeof *from);
  if (!from) return NULL;
  *from = (memory){bytes, size};
  bfd *file = bfd_openr_iovec("", NULL, open_memory, from, read_memory, close_memory,
                              stat_memory);
  if (!file) free(from);
  return file;
}
