/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32, one byte at a time. */
#include "base/crc32.h"

/* The polynomial, with its bits reversed. */
#define POLYNOMIAL UINT32_C(0xedb88320)

void gp_crc32_init(gp_crc32 *crc) {
  crc->inverted = UINT32_MAX;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? POLYNOMIAL : 0);
    crc->table[i] = value;
  }
}

void gp_crc32_add(gp_crc32 *crc, const unsigned char *bytes, size_t count) {
  uint32_t value = crc->inverted;
  for (size_t i = 0; i < count; i++)
    value = value >> 8 ^ crc->table[(value ^ bytes[i]) & 0xff];
  crc->inverted = value;
}
