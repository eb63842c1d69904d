/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call frame information: the entries of .eh_frame, one for each function. */
#include "debug/call_frames.h"

#include <stdlib.h>

#include "base/array.h"

enum { HEADER_SIZE = 64 };  /* more bytes than the fields before instructions or rows */

/* Encodings of pointers (DW_EH_PE_*). RELATIVE: relative to the address of the pointer.
 * INDIRECT: the pointer leads to another pointer. */
enum { RELATIVE = 0x10, INDIRECT = 0x80 };

/* A CIE states how entries that refer to it encode their pointers. */
typedef struct encodings {
  uint8_t address;
  uint8_t table;  /* encoding of the pointer to the function's table */
} encodings;

static uint64_t take_number(gp_cursor *cursor, uint8_t format) {
  switch (format) {
    case 0x0: return gp_take_uint(cursor, cursor->layout.pointer_size);
    case 0x1: return gp_take_uleb(cursor);
    case 0x2: return gp_take_u16(cursor);
    case 0x3: return gp_take_u32(cursor);
    case 0x4:
    case 0xc: return gp_take_u64(cursor);
    case 0x9: return (uint64_t)gp_take_sleb(cursor);
    case 0xa: return (uint64_t)(int16_t)gp_take_u16(cursor);
    case 0xb: return (uint64_t)(int32_t)gp_take_u32(cursor);
    default: cursor->bad = true; return 0;
  }
}

uint64_t gp_take_pointer(gp_cursor *cursor, uint8_t encoding, uint64_t low) {
  uint64_t place = low + (uint64_t)(cursor->at - cursor->start);
  uint64_t value = take_number(cursor, encoding & 0xf);
  uint8_t base = encoding & 0xf0;
  cursor->bad |= base != 0 && base != RELATIVE;
  if (base == RELATIVE && value != 0) value += place;
  return cursor->layout.pointer_size == 4 ? (uint32_t)value : value;
}

gp_cursor gp_call_frames_header(const gp_contents *in, uint64_t offset,
                                gp_layout layout) {
  gp_cursor cursor = gp_cursor_on(in->bytes, in->size, layout);
  gp_take(&cursor, offset);
  if (gp_left(&cursor) > HEADER_SIZE) cursor.end = cursor.at + HEADER_SIZE;
  return cursor;
}

/* Reads the encodings of a CIE. False if they are not known. */
static bool read_encodings(const gp_call_frames *frames, uint64_t offset,
                           encodings *into) {
  *into = (encodings){.table = GP_NO_POINTER};
  gp_cursor cie = gp_call_frames_header(&frames->section, offset, frames->rest.layout);
  gp_take_length(&cie);
  if (cie.wide || gp_take_u32(&cie) != 0) return false;
  uint8_t version = gp_take_u8(&cie);
  if (version != 1 && version != 3) return false;
  const unsigned char *letter = cie.at;
  gp_skip_string(&cie);
  if (cie.bad || *letter == 0) return !cie.bad;
  if (*letter != 'z') return false;
  gp_take_uleb(&cie);  /* code alignment */
  gp_take_sleb(&cie);  /* data alignment */
  if (version == 1) gp_take_u8(&cie);  /* return address */
  else gp_take_uleb(&cie);
  gp_take_uleb(&cie);  /* size of what follows */
  while (*++letter != 0) switch (*letter) {
      case 'L': into->table = gp_take_u8(&cie); break;
      case 'R': into->address = gp_take_u8(&cie); break;
      case 'P':
        gp_take_pointer(&cie, gp_take_u8(&cie) & (uint8_t)~INDIRECT, frames->section.low);
        break;
      case 'S':  /* signal frame */
      case 'B':  /* signed return addresses */
      case 'G':  /* tagged memory */
        break;
      default: return false;
    }
  return !cie.bad;
}

/* Reads the entry of a function. The CIE that it refers to is `distance` bytes before the
 * number at `offset`. */
static bool read_function(const gp_call_frames *frames, gp_cursor entry, uint64_t offset,
                          uint32_t distance, gp_call_frame *frame) {
  encodings how;
  if (distance > offset || !read_encodings(frames, offset - distance, &how)) return false;
  const uint64_t low = gp_take_pointer(&entry, how.address, frames->section.low);
  const uint64_t size = take_number(&entry, how.address & 0xf);
  frame->code = (gp_range){low, size < UINT64_MAX - low ? low + size : low};
  frame->table = 0;
  if (how.table == GP_NO_POINTER) return !entry.bad;
  gp_take_uleb(&entry);  /* size of what follows */
  frame->table = gp_take_pointer(&entry, how.table, frames->section.low);
  return !entry.bad;
}

bool gp_call_frames_open(gp_call_frames *frames, const gp_image *image) {
  const bool done = gp_section_contents(&frames->section, image, ".eh_frame");
  frames->rest = gp_cursor_on(frames->section.bytes, done ? frames->section.size : 0,
                              image->layout);
  return done;
}

void gp_call_frames_close(gp_call_frames *frames) { free(frames->section.bytes); }

/* Ends the entries after damage. */
static bool give_up(gp_cursor *rest) {
  rest->at = rest->end;
  rest->bad = true;
  return false;
}

bool gp_call_frames_next(gp_call_frames *frames, gp_call_frame *frame) {
  gp_cursor *rest = &frames->rest;
  while (gp_left(rest) > 0) {
    const uint64_t length = gp_take_length(rest);
    gp_cursor entry = *rest;
    if (rest->bad || rest->wide || !gp_take(rest, length)) return give_up(rest);
    if (length == 0) continue;  /* ends the entries of one object file */
    entry.end = rest->at;
    const uint64_t offset = (uint64_t)(entry.at - entry.start);
    const uint32_t distance = gp_take_u32(&entry);  /* 0: a CIE */
    if (entry.bad) return give_up(rest);
    if (distance == 0) continue;
    return read_function(frames, entry, offset, distance, frame) || give_up(rest);
  }
  return false;
}

/* --- the code of all functions ------------------------------------------------------ */

gp_range *gp_call_frames_ranges(const gp_image *image, size_t *count) {
  gp_call_frames frames;
  gp_call_frame frame;
  gp_range *ranges = gp_column(1, sizeof *ranges);
  size_t capacity = 0;
  *count = 0;
  bool done = gp_call_frames_open(&frames, image) && ranges;
  while (done && gp_call_frames_next(&frames, &frame)) {
    done = GP_RESERVE(&capacity, *count + 1, GP_COLUMN(ranges));
    if (done) ranges[(*count)++] = frame.code;
  }
  gp_call_frames_close(&frames);
  if (done) {
    *count = gp_range_separate(ranges, *count);
    return ranges;
  }
  free(ranges);
  return NULL;
}
