/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checksum of a file. */
#include "debug/file_checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32.h"

/* Returns the offset of the next data in the file; the size of the file if only a hole is
 * left. -1 on failure. */
static off_t next_data(int file, off_t offset) {
  off_t data = lseek(file, offset, SEEK_DATA);
  if (data >= 0) return data;
  if (errno == ENXIO) return lseek(file, 0, SEEK_END);
  return errno == EINVAL ? offset : -1;  /* holes are not supported */
}

/* Updates the checksum with the bytes between `offset` and the next hole, at most one
 * window. Returns how many bytes were added; -1 on failure. */
static ssize_t append_data(int file, off_t offset, gp_crc32 *crc) {
  unsigned char window[65536];
  size_t size = sizeof window;
  off_t hole = lseek(file, offset, SEEK_HOLE);
  if (hole > offset && hole - offset < (off_t)size) size = (size_t)(hole - offset);
  ssize_t got = pread(file, window, size, offset);
  if (got > 0) gp_crc32_add(crc, window, (size_t)got);
  return got;
}

static bool add_all(int file, gp_crc32 *crc) {
  off_t offset = 0;
  ssize_t got;
  do {
    off_t data = next_data(file, offset);
    if (data < 0) return false;
    if (data > offset) gp_crc32_add_zeros(crc, (uint64_t)(data - offset));
    got = append_data(file, data, crc);
    offset = data + got;
  } while (got > 0);
  return got == 0;
}

bool gp_file_checksum(const char *path, uint32_t *sum, gp_error *error) {
  gp_crc32 crc;
  gp_crc32_init(&crc);
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool done = file >= 0 && add_all(file, &crc);
  *sum = gp_crc32_value(&crc);
  if (!done) gp_fail(error, "%s", strerror(errno));
  if (file >= 0) close(file);
  return done;
}
