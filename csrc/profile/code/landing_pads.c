/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Landing pads: the places in the code where exceptions lead. */
#include "profile/code/landing_pads.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "debug/call_frames.h"
#include "object/section.h"

typedef struct reading {
  gp_landing_pads *found;
  gp_call_frames frames;
  gp_contents tables;          /* .gcc_except_table */
  uint64_t unread;          /* bytes of `tables` not read yet; tables do not overlap */
  bool no_memory;
} reading;

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
  gp_cursor table =
      gp_call_frames_header(tables, address - tables->low, r->frames.rest.layout);
  uint8_t encoding = gp_take_u8(&table);
  uint64_t base = encoding == GP_NO_POINTER
                      ? function
                      : gp_take_pointer(&table, encoding, tables->low);
  if (gp_take_u8(&table) != GP_NO_POINTER) gp_take_uleb(&table);  /* types */
  encoding = gp_take_u8(&table);
  uint64_t length = gp_take_uleb(&table);
  table.end = tables->bytes + tables->size;
  if (table.bad || length > gp_left(&table) || length > r->unread) return false;
  table.end = table.at + length;
  r->unread -= length;
  while (gp_left(&table) > 0) {
    gp_take_pointer(&table, encoding, 0);  /* start of the call site */
    gp_take_pointer(&table, encoding, 0);  /* size of the call site */
    uint64_t pad = gp_take_pointer(&table, encoding, 0);
    gp_take_uleb(&table);  /* action */
    if (table.bad || (pad != 0 && !add(r, base + pad))) return false;
  }
  return true;
}

/* Reads all tables. False if one cannot be read. */
static bool read_tables(reading *r) {
  gp_call_frame frame;
  while (gp_call_frames_next(&r->frames, &frame))
    if (frame.table != 0 && !read_table(r, frame.code.low, frame.table)) return false;
  return !r->frames.rest.bad;
}

bool gp_landing_pads_find(gp_landing_pads *found, const gp_image *image) {
  *found = (gp_landing_pads){0};
  reading r = {.found = found};
  r.no_memory = !gp_call_frames_open(&r.frames, image) ||
                !gp_section_contents(&r.tables, image, ".gcc_except_table");
  r.unread = r.tables.size;
  found->known = !r.no_memory && read_tables(&r);
  gp_call_frames_close(&r.frames);
  free(r.tables.bytes);
  found->count = gp_sort_distinct(found->address, found->count);
  return !r.no_memory;
}

void gp_landing_pads_free(gp_landing_pads *pads) {
  free(pads->address);
  memset(pads, 0, sizeof *pads);
}
