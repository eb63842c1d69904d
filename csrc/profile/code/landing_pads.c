/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Landing pads: the places in the code where exceptions lead. */
#include "profile/code/landing_pads.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "debug/cursor.h"
#include "object/section.h"

/* The fields before the rows of a table of landing pads, or before the instructions of a
 * CIE (a header in .eh_frame), take fewer bytes than this. In a damaged file many
 * functions may refer to one table; the limit bounds the time for reading these fields
 * once for each function. */
#define HEADER_SIZE 64

/* Encodings of pointers (DW_EH_PE_*). OMITTED: there is no pointer. RELATIVE: relative to
 * the address of the pointer. INDIRECT: the pointer leads to another pointer. */
enum { OMITTED = 0xff, RELATIVE = 0x10, INDIRECT = 0x80 };

typedef struct reading {
  gp_landing_pads *found;
  gp_layout layout;
  gp_contents frames;          /* .eh_frame */
  gp_contents tables;          /* .gcc_except_table */
  uint64_t unread;          /* bytes of `tables` not read yet; tables do not overlap */
  bool no_memory;
} reading;

/* A CIE states how entries of .eh_frame that refer to it encode their pointers. */
typedef struct encodings {
  uint8_t address;
  uint8_t table;            /* encoding of the pointer to the function's table */
} encodings;

/* Returns a cursor on a header at `offset`. */
static gp_cursor header_at(const gp_contents *in, uint64_t offset, gp_layout layout) {
  gp_cursor cursor = gp_cursor_on(in->bytes, in->size, layout);
  gp_take(&cursor, offset);
  if (gp_left(&cursor) > HEADER_SIZE) cursor.end = cursor.at + HEADER_SIZE;
  return cursor;
}

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

/* Reads an encoded pointer. `low` is the address of the cursor's first byte. In every
 * encoding, 0 stands for no pointer. */
static uint64_t take_pointer(gp_cursor *cursor, uint8_t encoding, uint64_t low) {
  uint64_t place = low + (uint64_t)(cursor->at - cursor->start);
  uint64_t value = take_number(cursor, encoding & 0xf);
  uint8_t base = encoding & 0xf0;
  cursor->bad |= base != 0 && base != RELATIVE;
  if (base == RELATIVE && value != 0) value += place;
  return cursor->layout.pointer_size == 4 ? (uint32_t)value : value;
}

/* Reads the encodings of a CIE. False if they are not known. */
static bool read_encodings(const reading *r, uint64_t offset, encodings *into) {
  *into = (encodings){.table = OMITTED};
  gp_cursor cie = header_at(&r->frames, offset, r->layout);
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
  version == 1 ? gp_take_u8(&cie) : gp_take_uleb(&cie);  /* return address */
  gp_take_uleb(&cie);  /* size of what follows */
  while (*++letter != 0) switch (*letter) {
      case 'L': into->table = gp_take_u8(&cie); break;
      case 'R': into->address = gp_take_u8(&cie); break;
      case 'P':
        take_pointer(&cie, gp_take_u8(&cie) & (uint8_t)~INDIRECT, r->frames.low);
        break;
      case 'S':  /* signal frame */
      case 'B':  /* signed return addresses */
      case 'G':  /* tagged memory */
        break;
      default: return false;
    }
  return !cie.bad;
}

static bool add(reading *r, uint64_t address) {
  gp_landing_pads *f = r->found;
  if (!GP_RESERVE(&f->capacity, f->count + 1, GP_COLUMN(f->address))) {
    r->no_memory = true;
    return false;
  }
  f->address[f->count++] = address;
  return true;
}

/* Reads the table of a function. */
static bool read_table(reading *r, uint64_t function, uint64_t address) {
  const gp_contents *tables = &r->tables;
  gp_cursor table = header_at(tables, address - tables->low, r->layout);
  uint8_t encoding = gp_take_u8(&table);
  uint64_t base = encoding == OMITTED ? function
                                      : take_pointer(&table, encoding, tables->low);
  if (gp_take_u8(&table) != OMITTED) gp_take_uleb(&table);  /* types */
  encoding = gp_take_u8(&table);
  uint64_t length = gp_take_uleb(&table);
  table.end = tables->bytes + tables->size;
  if (table.bad || length > gp_left(&table) || length > r->unread) return false;
  table.end = table.at + length;
  r->unread -= length;
  while (gp_left(&table) > 0) {
    take_pointer(&table, encoding, 0);  /* start of the call site */
    take_pointer(&table, encoding, 0);  /* size of the call site */
    uint64_t pad = take_pointer(&table, encoding, 0);
    gp_take_uleb(&table);  /* action */
    if (table.bad || (pad != 0 && !add(r, base + pad))) return false;
  }
  return true;
}

/* Reads the entry of a function in .eh_frame. The CIE that it refers to is `distance`
 * bytes before the number at `offset`. */
static bool read_function(reading *r, gp_cursor frame, uint64_t offset,
                          uint32_t distance) {
  encodings how;
  if (distance > offset || !read_encodings(r, offset - distance, &how)) return false;
  uint64_t function = take_pointer(&frame, how.address, r->frames.low);
  take_number(&frame, how.address & 0xf);  /* size of the function */
  if (how.table == OMITTED) return !frame.bad;
  gp_take_uleb(&frame);  /* size of what follows */
  uint64_t table = take_pointer(&frame, how.table, r->frames.low);
  return !frame.bad && (table == 0 || read_table(r, function, table));
}

/* Reads all tables. False if one cannot be read. */
static bool read_frames(reading *r) {
  gp_cursor frames = gp_cursor_on(r->frames.bytes, r->frames.size, r->layout);
  while (gp_left(&frames) > 0) {
    uint64_t length = gp_take_length(&frames);
    gp_cursor frame = frames;
    if (frames.bad || frames.wide || !gp_take(&frames, length)) return false;
    if (length == 0) continue;  /* ends the entries of one object file */
    frame.end = frames.at;
    uint64_t offset = (uint64_t)(frame.at - frame.start);
    uint32_t distance = gp_take_u32(&frame);  /* 0: a CIE */
    if (frame.bad || (distance != 0 && !read_function(r, frame, offset, distance)))
      return false;
  }
  return true;
}

bool gp_landing_pads_find(gp_landing_pads *found, const gp_image *image) {
  *found = (gp_landing_pads){0};
  reading r = {.found = found, .layout = image->layout};
  r.no_memory = !gp_section_contents(&r.frames, image, ".eh_frame") ||
                !gp_section_contents(&r.tables, image, ".gcc_except_table");
  r.unread = r.tables.size;
  found->known = !r.no_memory && read_frames(&r);
  free(r.frames.bytes);
  free(r.tables.bytes);
  found->count = gp_sort_distinct(found->address, found->count);
  return !r.no_memory;
}

void gp_landing_pads_free(gp_landing_pads *pads) {
  free(pads->address);
  memset(pads, 0, sizeof *pads);
}
