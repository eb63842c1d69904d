/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading DWARF's numbers, one after the other, and never beyond the end.
 *
 * What isn't there reads as 0 and leaves a mark, which whoever reads looks at when it is
 * convenient: a reader that loops over what a file claims stops at the end of the bytes.
 */
#ifndef GP_DEBUG_CURSOR_H
#define GP_DEBUG_CURSOR_H

#include "base/bytes.h"

typedef struct gp_cursor {
  const unsigned char *start, *at, *end;
  gp_layout layout;
  bool wide;  /* 64-bit DWARF: offsets and lengths have 8 bytes, not 4 */
  bool bad;   /* something was not there */
} gp_cursor;

/* A cursor on the first of `size` bytes, in 32-bit DWARF. */
static inline gp_cursor gp_cursor_on(const unsigned char *bytes, size_t size,
                                     gp_layout layout) {
  return (gp_cursor){bytes, bytes, bytes + size, layout, false, false};
}

static inline size_t gp_left(const gp_cursor *cursor) {
  return (size_t)(cursor->end - cursor->at);
}

/* The next `size` bytes; NULL, with nothing left behind, if there are less. */
static inline const unsigned char *gp_take(gp_cursor *cursor, uint64_t size) {
  const unsigned char *taken = cursor->at;
  if (size > gp_left(cursor)) {
    cursor->at = cursor->end;
    cursor->bad = true;
    return NULL;
  }
  cursor->at += size;
  return taken;
}

static inline uint8_t gp_take_u8(gp_cursor *cursor) {
  const unsigned char *p = gp_take(cursor, 1);
  return p ? *p : 0;
}

static inline uint16_t gp_take_u16(gp_cursor *cursor) {
  const unsigned char *p = gp_take(cursor, 2);
  return p ? gp_u16(p, cursor->layout) : 0;
}

static inline uint32_t gp_take_u32(gp_cursor *cursor) {
  const unsigned char *p = gp_take(cursor, 4);
  return p ? gp_u32(p, cursor->layout) : 0;
}

static inline uint64_t gp_take_u64(gp_cursor *cursor) {
  const unsigned char *p = gp_take(cursor, 8);
  return p ? gp_u64(p, cursor->layout) : 0;
}

/* A number of 1, 2, 3, 4 or 8 bytes; others are passed over. */
static inline uint64_t gp_take_uint(gp_cursor *cursor, uint64_t size) {
  const unsigned char *p;
  switch (size) {
    case 1: return gp_take_u8(cursor);
    case 2: return gp_take_u16(cursor);
    case 4: return gp_take_u32(cursor);
    case 8: return gp_take_u64(cursor);
    default: break;
  }
  p = gp_take(cursor, size);
  if (size != 3 || !p) return 0;
  return cursor->layout.big_endian ? (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2]
                                   : (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
}

/* LEB128 numbers may have any number of bytes; what is above 64 bits is dropped. */
static inline uint64_t gp_take_uleb(gp_cursor *cursor) {
  uint64_t value = 0;
  unsigned shift = 0;
  while (cursor->at < cursor->end) {
    /* only where both are NULL: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    unsigned char byte = *cursor->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return value;
    shift = shift < 64 ? shift + 7 : shift;
  }
  cursor->bad = true;
  return 0;
}

static inline int64_t gp_take_sleb(gp_cursor *cursor) {
  uint64_t value = 0;
  unsigned shift = 0;
  while (cursor->at < cursor->end) {
    unsigned char byte = *cursor->at++;
    if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
    shift = shift < 64 ? shift + 7 : shift;
    if (byte & 0x80) continue;
    if (shift < 64 && (byte & 0x40)) value |= UINT64_MAX << shift;
    return (int64_t)value;
  }
  cursor->bad = true;
  return 0;
}

/* An offset into a section, or a length. */
static inline uint64_t gp_take_offset(gp_cursor *cursor) {
  return cursor->wide ? gp_take_u64(cursor) : gp_take_u32(cursor);
}

/* The length at the start of a unit, which tells 32-bit from 64-bit DWARF. */
static inline uint64_t gp_take_length(gp_cursor *cursor) {
  uint32_t length = gp_take_u32(cursor);
  cursor->wide = length == UINT32_MAX;
  return cursor->wide ? gp_take_u64(cursor) : length;
}

/* Passes over a string and the NUL behind it. */
static inline void gp_skip_text(gp_cursor *cursor) {
  const unsigned char *nul = memchr(cursor->at, 0, gp_left(cursor));
  cursor->at = nul ? nul + 1 : cursor->end;
  cursor->bad |= !nul;
}

#endif
