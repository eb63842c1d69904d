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

#endif
