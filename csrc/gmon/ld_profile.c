/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads profiles of shared libraries.
 *
 * After the header of the magic format come a 4-byte tag, a histogram, another 4-byte
 * tag, the number of arcs, and the arcs. An arc has the addresses FROM and SELF, relative
 * to the start of the histogram, and a 4-byte count. A call from outside the library has
 * a FROM of 0, which becomes the address 0 in the sum.
 *
 * The dynamic linker creates the file with room for a fixed number of arcs, and maps it
 * into memory while the program runs. When the file is full, each call that needs a new
 * arc increments the number of arcs and nothing else. So each missing or unused arc
 * stands for a call that was not counted.
 */
#include "gmon/ld_profile.h"

#include <inttypes.h>

#include "base/count.h"
#include "gmon/gmon_format.h"

static bool take_tag(gp_records *r, uint32_t expected, const char *kind) {
  r->offset = r->reader->offset;
  const unsigned char *bytes = gp_reader_take(r->reader, 4);
  if (!bytes) return gp_records_truncated(r, kind);
  uint32_t tag = gp_u32(bytes, r->layout);
  return tag == expected ||
         gp_fail(r->error, "bad tag %" PRIu32 " at offset %" PRIu64
                 " of a shared library's profile: expected %" PRIu32 " (%s)", tag,
                 r->offset, expected, kind);
}

/* Adds the arc at `bytes`, whose addresses are relative to the start of the histogram. */
static bool add_arc(gp_records *r, const unsigned char *bytes,
                    const gp_histogram *range) {
  size_t size = r->layout.pointer_size;
  uint64_t from = gp_pointer(bytes, r->layout), length = range->high - range->low;
  uint64_t self = gp_pointer(bytes + size, r->layout);
  if (self >= length)
    return gp_fail(r->error, "the arc at offset %" PRIu64 " calls offset 0x%" PRIx64
                   ", past the end of the code (0x%" PRIx64 " bytes)", r->offset, self,
                   length);
  from = from == 0 || from >= length ? GP_OUTSIDE : range->low + from;
  return gp_records_add_arc(r, from, range->low + self,
                            gp_u32(bytes + 2 * size, r->layout));
}

/* Reads `claimed` arcs. The file may end before the last arc, but only after an unused
 * arc. */
static bool read_arcs(gp_records *r, uint32_t claimed, const gp_histogram *range) {
  size_t size = r->layout.pointer_size, length = 2 * size + 4;
  uint32_t used = 0;
  bool is_used = true;
  for (uint32_t i = 0; i < claimed; i++) {
    r->offset = r->reader->offset;
    const unsigned char *bytes = gp_reader_take(r->reader, length);
    if (!bytes && (is_used || r->reader->failed))
      return gp_records_truncated(r, "the arc");
    if (!bytes) break;
    is_used = gp_u32(bytes + 2 * size, r->layout) > 0;
    used += is_used;
    if (is_used && !add_arc(r, bytes, range)) return false;
  }
  return gp_count_add(&r->data->uncounted, claimed - used) ||
         gp_fail(r->error, "the number of uncounted calls exceeds 63 bits");
}

/* Skips the unused space after the arcs, which must be zero. */
static bool skip_unused(gp_records *r) {
  size_t left;
  while ((left = gp_reader_available(r->reader, GP_READER_WINDOW)) > 0) {
    uint64_t offset = r->reader->offset;
    const unsigned char *bytes = gp_reader_take(r->reader, left);
    for (size_t i = 0; i < left; i++)
      if (bytes[i] != 0)
        return gp_fail(r->error, "has unexpected data after the arcs, at offset %"
                       PRIu64, offset + i);
  }
  return !r->reader->failed;
}

bool gp_ld_profile_read(gp_records *r) {
  gp_histogram range;
  r->data->shared = true;
  if (!take_tag(r, TAG_HISTOGRAM, "the histogram") ||
      !gp_records_read_histogram(r, &range) || !take_tag(r, TAG_ARC, "the arcs"))
    return false;
  const unsigned char *bytes = gp_reader_take(r->reader, 4);
  if (!bytes) return gp_records_truncated(r, "the arcs");
  r->data->has_arcs = true;
  return read_arcs(r, gp_u32(bytes, r->layout), &range) && skip_unused(r);
}
