/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checksum of a file. */
#include "debug/file_checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "object/libbfd.h"

/* The polynomial of CRC-32, with the bits reversed. */
#define POLYNOMIAL UINT32_C(0xedb88320)

/* A linear map from 32 bits to 32 bits, stored as the map's value for each single bit.
 * Appending zeros to a file changes the CRC register by such a map. */
typedef struct matrix {
  uint32_t columns[32];
} matrix;

static uint32_t apply(const matrix *map, uint32_t bits) {
  uint32_t sum = 0;
  for (int i = 0; bits != 0; i++, bits >>= 1)
    if (bits & 1) sum ^= map->columns[i];
  return sum;
}

static void square(matrix *map) {
  const matrix once = *map;
  for (int i = 0; i < 32; i++) map->columns[i] = apply(&once, once.columns[i]);
}

/* Returns the CRC after `count` more zero bytes. The register is the complement of the
 * CRC. */
static uint32_t append_zeros(uint32_t crc, uint64_t count) {
  matrix map;  /* the effect of one zero bit; after squaring it thrice, of a byte */
  uint32_t bits = ~crc;
  map.columns[0] = POLYNOMIAL;
  for (int i = 1; i < 32; i++) map.columns[i] = UINT32_C(1) << (i - 1);
  for (int i = 0; i < 3; i++) square(&map);
  for (; count > 0; count >>= 1, square(&map))
    if (count & 1) bits = apply(&map, bits);
  return ~bits;
}

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
static ssize_t append_data(int file, off_t offset, uint32_t *crc) {
  unsigned char window[65536];
  size_t size = sizeof window;
  off_t hole = lseek(file, offset, SEEK_HOLE);
  if (hole > offset && hole - offset < (off_t)size) size = (size_t)(hole - offset);
  ssize_t got = pread(file, window, size, offset);
  if (got > 0)
    *crc = (uint32_t)bfd_calc_gnu_debuglink_crc32(*crc, window, (size_t)got);
  return got;
}

static bool add_all(int file, uint32_t *crc) {
  off_t offset = 0;
  ssize_t got;
  do {
    off_t data = next_data(file, offset);
    if (data < 0) return false;
    if (data > offset) *crc = append_zeros(*crc, (uint64_t)(data - offset));
    got = append_data(file, data, crc);
    offset = data + got;
  } while (got > 0);
  return got == 0;
}

bool gp_file_checksum(const char *path, uint32_t *sum, gp_error *error) {
  *sum = 0;
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool done = file >= 0 && add_all(file, sum);
  if (!done) gp_fail(error, "%s", strerror(errno));
  if (file >= 0) close(file);
  return done;
}
