/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CRC-32, as computed by zlib and gzip, of bytes that arrive in pieces: the checksum of
 * the files that we write, and of .gnu_debuglink.
 */
#ifndef GP_BASE_CRC32_H
#define GP_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

typedef struct gp_crc32 {
  uint32_t inverted;       /* the checksum so far, with all bits inverted */
  uint32_t table[8][256];  /* of a byte value followed by 0 to 7 zero bytes */
} gp_crc32;

void gp_crc32_init(gp_crc32 *crc);
void gp_crc32_add(gp_crc32 *crc, const unsigned char *bytes, size_t count);

/* Adds zero bytes, in a time that hardly depends on their number. */
void gp_crc32_add_zeros(gp_crc32 *crc, uint64_t count);

/* The checksum of all bytes added. */
static inline uint32_t gp_crc32_value(const gp_crc32 *crc) { return ~crc->inverted; }

#endif
