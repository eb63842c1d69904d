/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads DWARF numbers in sequence, with bounds checks.
 *
 * A read past the end returns 0 and sets `bad`. The caller may check `bad` once after
 * several reads. A loop whose count comes from the file should check it in each
 * iteration.
 */
#ifndef GP_DEBUG_CURSOR_H
#define GP_DEBUG_CURSOR_H

#include "base/bytes.h"

typedef struct gp_cursor {
  const unsigned char *start, *at, *end;
  gp_layout layout;
  bool wide;  /* 64-bit DWARF: offsets and lengths are 8 bytes wide, not 4 */
  bool bad;   /* a read went past the end, or a number or string was not terminated */
} gp_cursor;

/* Returns a cursor at the first of `size` bytes, set to read 32-bit DWARF. */
static inline gp_cursor gp_cursor_on(const unsigned char *bytes, size_t size,
                                     gp_layout layout) {
  return (gp_cursor){bytes, bytes, bytes + size, layout, false, false};
}

static inline size_t gp_left(const gp_cursor *cursor) {
  return (size_t)(cursor->end - cursor->at);
}

/* Returns the next `size` bytes and moves past them. If fewer are left, returns NULL,
 * sets `bad` and moves to the end. */
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

/* Reads a number of 1, 2, 3, 4 or 8 bytes. A number of any other size is skipped and
 * reads as 0. */
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

/* Reads an unsigned LEB128 number of any length; bits above the 64th are dropped. */
static inline uint64_t gp_take_uleb(gp_cursor *cursor) {
  uint64_t value = 0;
  unsigned shift = 0;
  while (cursor->at < cursor->end) {
    /* `at` is NULL only if `end` is also NULL.
       NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
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

/* Reads an offset into a section, or a length. */
static inline uint64_t gp_take_offset(gp_cursor *cursor) {
  return cursor->wide ? gp_take_u64(cursor) : gp_take_u32(cursor);
}

/* Reads the length at the start of a unit. Its first 4 bytes are 0xffffffff in 64-bit
 * DWARF. */
static inline uint64_t gp_take_length(gp_cursor *cursor) {
  uint32_t length = gp_take_u32(cursor);
  cursor->wide = length == UINT32_MAX;
  return cursor->wide ? gp_take_u64(cursor) : length;
}

/* Skips a string and its NUL. */
static inline void gp_skip_string(gp_cursor *cursor) {
  const unsigned char *nul = memchr(cursor->at, 0, gp_left(cursor));
  cursor->at = nul ? nul + 1 : cursor->end;
  cursor->bad |= !nul;
}

#endif
