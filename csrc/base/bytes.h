/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes numbers in a given byte order and pointer size.
 *
 * A profile has the byte order and the pointer size of the profiled program. Both may
 * differ from this machine's.
 */
#ifndef GP_BASE_BYTES_H
#define GP_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* How numbers are laid out in a file. */
typedef struct gp_layout {
  bool big_endian;
  unsigned pointer_size;  /* size of an address in bytes: 4 or 8 */
  bool narrow_counts;     /* arcs of the BSD formats store 4-byte counts, even in an
                             8-byte field */
} gp_layout;

/* This machine's byte order. */
#define GP_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint16_t gp_u16(const unsigned char *p, gp_layout layout) {
  uint16_t value;
  memcpy(&value, p, sizeof value);
  return layout.big_endian == GP_BIG_ENDIAN ? value : __builtin_bswap16(value);
}

static inline uint32_t gp_u32(const unsigned char *p, gp_layout layout) {
  uint32_t value;
  memcpy(&value, p, sizeof value);
  return layout.big_endian == GP_BIG_ENDIAN ? value : __builtin_bswap32(value);
}

static inline uint64_t gp_u64(const unsigned char *p, gp_layout layout) {
  uint64_t value;
  memcpy(&value, p, sizeof value);
  return layout.big_endian == GP_BIG_ENDIAN ? value : __builtin_bswap64(value);
}

/* Reads an address, or a count that is as wide as an address. */
static inline uint64_t gp_pointer(const unsigned char *p, gp_layout layout) {
  return layout.pointer_size == 8 ? gp_u64(p, layout) : gp_u32(p, layout);
}

/* Reads the count of an arc in the BSD formats. */
static inline uint64_t gp_bsd_count(const unsigned char *p, gp_layout layout) {
  return layout.narrow_counts ? gp_u32(p, layout) : gp_pointer(p, layout);
}

static inline void gp_put_u16(unsigned char *p, uint16_t value, gp_layout layout) {
  if (layout.big_endian != GP_BIG_ENDIAN) value = __builtin_bswap16(value);
  memcpy(p, &value, sizeof value);
}

static inline void gp_put_u32(unsigned char *p, uint32_t value, gp_layout layout) {
  if (layout.big_endian != GP_BIG_ENDIAN) value = __builtin_bswap32(value);
  memcpy(p, &value, sizeof value);
}

static inline void gp_put_u64(unsigned char *p, uint64_t value, gp_layout layout) {
  if (layout.big_endian != GP_BIG_ENDIAN) value = __builtin_bswap64(value);
  memcpy(p, &value, sizeof value);
}

/* Writes an address, or a count that is as wide as an address. `value` must fit. */
static inline void gp_put_pointer(unsigned char *p, uint64_t value, gp_layout layout) {
  if (layout.pointer_size == 8)
    gp_put_u64(p, value, layout);
  else
    gp_put_u32(p, (uint32_t)value, layout);
}

static inline void gp_put_bsd_count(unsigned char *p, uint64_t value, gp_layout layout) {
  gp_put_pointer(p, layout.narrow_counts ? 0 : value, layout);
  if (layout.narrow_counts) gp_put_u32(p, (uint32_t)value, layout);
}

#endif
