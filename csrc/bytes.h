/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers in somebody else's byte order.
 *
 * A profile is written in the byte order and with the pointer size of the
 * program that was profiled, which need not be this machine's.
 */
#ifndef GP_BYTES_H
#define GP_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* How numbers are laid out in a file. */
typedef struct gp_layout {
  bool big_endian;
  unsigned pointer_size;  /* bytes of an address: 4 or 8 */
} gp_layout;

static inline uint16_t gp_u16(const unsigned char *p, gp_layout layout) {
  unsigned first = p[0], second = p[1];
  return (uint16_t)(layout.big_endian ? first << 8 | second : second << 8 | first);
}

static inline uint32_t gp_u32(const unsigned char *p, gp_layout layout) {
  uint32_t first = gp_u16(p, layout), second = gp_u16(p + 2, layout);
  return layout.big_endian ? first << 16 | second : second << 16 | first;
}

static inline uint64_t gp_u64(const unsigned char *p, gp_layout layout) {
  uint64_t first = gp_u32(p, layout), second = gp_u32(p + 4, layout);
  return layout.big_endian ? first << 32 | second : second << 32 | first;
}

/* An address, or a count of an address's size. */
static inline uint64_t gp_pointer(const unsigned char *p, gp_layout layout) {
  return layout.pointer_size == 8 ? gp_u64(p, layout) : gp_u32(p, layout);
}

static inline void gp_put_u16(unsigned char *p, uint16_t value, gp_layout layout) {
  p[layout.big_endian ? 1 : 0] = (unsigned char)value;
  p[layout.big_endian ? 0 : 1] = (unsigned char)(value >> 8);
}

static inline void gp_put_u32(unsigned char *p, uint32_t value, gp_layout layout) {
  gp_put_u16(p + (layout.big_endian ? 2 : 0), (uint16_t)value, layout);
  gp_put_u16(p + (layout.big_endian ? 0 : 2), (uint16_t)(value >> 16), layout);
}

static inline void gp_put_u64(unsigned char *p, uint64_t value, gp_layout layout) {
  gp_put_u32(p + (layout.big_endian ? 4 : 0), (uint32_t)value, layout);
  gp_put_u32(p + (layout.big_endian ? 0 : 4), (uint32_t)(value >> 32), layout);
}

/* An address, or a count, which must fit. */
static inline void gp_put_pointer(unsigned char *p, uint64_t value, gp_layout layout) {
  if (layout.pointer_size == 8)
    gp_put_u64(p, value, layout);
  else
    gp_put_u32(p, (uint32_t)value, layout);
}

#endif
