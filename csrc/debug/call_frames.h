/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call frame information: the entries of .eh_frame, one for each function. Compilers
 * write them for nearly all code, and they stay in stripped files.
 *
 * Sources: Linux Standard Base 5.0, Core, chapter 10.6; DWARF 5, section 6.4. Reading
 * takes time and memory in proportion to the size of the section.
 */
#ifndef GP_DEBUG_CALL_FRAMES_H
#define GP_DEBUG_CALL_FRAMES_H

#include "base/range.h"
#include "debug/cursor.h"
#include "object/section.h"

/* An entry: the code of a function, and its table of landing pads in .gcc_except_table,
 * or 0. */
typedef struct gp_call_frame {
  gp_range code;
  uint64_t table;
} gp_call_frame;

typedef struct gp_call_frames {
  gp_contents section;
  gp_cursor rest;  /* the entries that were not read */
} gp_call_frames;

/* Reads the section; without it, there are no entries. False if there is no memory. */
bool gp_call_frames_open(gp_call_frames *frames, const gp_image *image);
void gp_call_frames_close(gp_call_frames *frames);

/* Reads the next entry. False after the last one, or if it cannot be read: then, `bad` of
 * `rest` is set. */
bool gp_call_frames_next(gp_call_frames *frames, gp_call_frame *frame);

/* Reads a pointer with one of the encodings DW_EH_PE_*. `low` is the address of the
 * cursor's first byte. Returns 0 if there is no pointer; sets `bad` for an unknown
 * encoding. */
uint64_t gp_take_pointer(gp_cursor *cursor, uint8_t encoding, uint64_t low);

/* Returns a cursor on the fields at `offset` of .eh_frame or .gcc_except_table, before
 * the instructions of a CIE (a header in .eh_frame) or the rows of a table of landing
 * pads. It ends where these fields end at the latest: in a damaged file, many functions
 * may refer to the same ones, which are then read once for each function. */
gp_cursor gp_call_frames_header(const gp_contents *in, uint64_t offset, gp_layout layout);

/* Stands for an encoding if there is no pointer (DW_EH_PE_omit). */
enum { GP_NO_POINTER = 0xff };

/* Returns the code of the functions of an image (free() it), ascending and disjoint, and
 * sets `*count`. Entries after damage are left out. NULL if there is no memory. */
gp_range *gp_call_frames_ranges(const gp_image *image, size_t *count);

#endif
