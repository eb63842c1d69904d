/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32, eight bytes at a time: the tables give the effect of each of them. */
#include "base/crc32.h"

/* The polynomial, with its bits reversed. */
#define POLYNOMIAL UINT32_C(0xedb88320)

static uint32_t add_byte(const gp_crc32 *crc, uint32_t value, unsigned char byte) {
  return value >> 8 ^ crc->table[0][(value ^ byte) & 0xff];
}

void gp_crc32_init(gp_crc32 *crc) {
  crc->inverted = UINT32_MAX;
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? POLYNOMIAL : 0);
    crc->table[0][i] = value;
  }
  for (int zeros = 1; zeros < 8; zeros++)
    for (uint32_t i = 0; i < 256; i++)
      crc->table[zeros][i] = add_byte(crc, crc->table[zeros - 1][i], 0);
}

static uint32_t add_eight(const gp_crc32 *crc, uint32_t value,
                          const unsigned char *bytes) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < 4; i++)
    sum ^= crc->table[7 - i][(value >> 8 * i & 0xff) ^ bytes[i]] ^
           crc->table[3 - i][bytes[4 + i]];
  return sum;
}

void gp_crc32_add(gp_crc32 *crc, const unsigned char *bytes, size_t count) {
  uint32_t value = crc->inverted;
  for (; count >= 8; bytes += 8, count -= 8) value = add_eight(crc, value, bytes);
  for (; count > 0; bytes++, count--) value = add_byte(crc, value, *bytes);
  crc->inverted = value;
}

/* A linear map from 32 bits to 32 bits, stored as the map's value for each single bit.
 * Adding zeros changes the inverted checksum by such a map. */
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

void gp_crc32_add_zeros(gp_crc32 *crc, uint64_t count) {
  matrix map;  /* the effect of one zero bit; after squaring it thrice, of a byte */
  map.columns[0] = POLYNOMIAL;
  for (int i = 1; i < 32; i++) map.columns[i] = UINT32_C(1) << (i - 1);
  for (int i = 0; i < 3; i++) square(&map);
  for (; count > 0; count >>= 1, square(&map))
    if (count & 1) crc->inverted = apply(&map, crc->inverted);
}
