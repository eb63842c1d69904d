/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the profile of a shared library, which glibc's dynamic linker writes for
 * LD_PROFILE=libx.so.
 *
 * Behind the header of the magic format come a tag of four bytes and a histogram, another
 * such tag, how many arcs there are, and the arcs: FROM and SELF, as offsets from where
 * the histogram begins, and a count of four bytes. A call from elsewhere has a FROM of 0,
 * which stands for the address 0 in the sum: no code of a library is there.
 *
 * The linker has made the file larger than it needs at first, and uses it while the
 * program runs. It stops short of the end: a call that would take one more arc than it
 * has room for adds to the number of arcs, and to nothing else. So what is claimed and is
 * not there, behind arcs that were not used, are calls that nobody counted.
 */
#include <inttypes.h>

#include "base/count.h"
#include "gmon/gmon_format.h"
#include "gmon/gmon_source.h"

/* The two kinds of records, one of each, have tags of four bytes here. */
static bool take_tag(gp_source_file *s, uint32_t expected, const char *kind) {
  s->data->record = s->reader->offset;
  const unsigned char *bytes = gp_reader_take(s->reader, 4);
  if (!bytes) return gp_source_truncated(s, kind);
  uint32_t tag = gp_u32(bytes, s->layout);
  return tag == expected ||
         gp_fail(s->error, "bad tag %" PRIu32 " at offset %" PRIu64
                 ": of a shared library's profile, it should be %" PRIu32 " (%s)", tag,
                 s->data->record, expected, kind);
}

/* Adds the arc in `bytes`: its addresses are offsets into the range of the histogram. */
static bool add_arc(gp_source_file *s, const unsigned char *bytes,
                    const gp_histogram *range) {
  size_t size = s->layout.pointer_size;
  uint64_t from = gp_pointer(bytes, s->layout), length = range->high - range->low;
  uint64_t self = gp_pointer(bytes + size, s->layout);
  if (self >= length)
    return gp_fail(s->error, "the arc at offset %" PRIu64 " calls what is 0x%" PRIx64
                   " bytes into code of 0x%" PRIx64, s->data->record, self, length);
  from = from == 0 || from >= length ? GP_OUTSIDE : range->low + from;
  return gp_source_add_arc(s, from, range->low + self,
                           gp_u32(bytes + 2 * size, s->layout));
}

/* Reads `claimed` arcs, or all that the file has room for where the last ones of these
 * were never used. */
static bool read_arcs(gp_source_file *s, uint32_t claimed, const gp_histogram *range) {
  size_t size = s->layout.pointer_size, length = 2 * size + 4;
  uint32_t used = 0;
  bool is_used = true;
  for (uint32_t i = 0; i < claimed; i++) {
    s->data->record = s->reader->offset;
    const unsigned char *bytes = gp_reader_take(s->reader, length);
    if (!bytes && (is_used || s->reader->failed))
      return gp_source_truncated(s, "the arc");
    if (!bytes) break;
    is_used = gp_u32(bytes + 2 * size, s->layout) > 0;
    used += is_used;
    if (is_used && !add_arc(s, bytes, range)) return false;
  }
  return gp_count_add(&s->data->uncounted, claimed - used) ||
         gp_fail(s->error, "too many calls");
}

/* The linker's room behind the arcs, where there is nothing. */
static bool pass_room(gp_source_file *s) {
  size_t left;
  while ((left = gp_reader_available(s->reader, GP_READER_WINDOW)) > 0) {
    uint64_t offset = s->reader->offset;
    const unsigned char *bytes = gp_reader_take(s->reader, left);
    for (size_t i = 0; i < left; i++)
      if (bytes[i] != 0)
        return gp_fail(s->error, "has more than the arcs that it claims, at offset %"
                       PRIu64, offset + i);
  }
  return !s->reader->failed;
}

bool gp_source_read_shared(gp_source_file *s) {
  gp_histogram range;
  s->data->shared = true;
  if (!take_tag(s, TAG_HISTOGRAM, "the histogram") ||
      !gp_source_read_histogram(s, &range) || !take_tag(s, TAG_ARC, "the arcs"))
    return false;
  const unsigned char *bytes = gp_reader_take(s->reader, 4);
  if (!bytes) return gp_source_truncated(s, "the arcs");
  s->data->has_arcs = true;
  return read_arcs(s, gp_u32(bytes, s->layout), &range) && pass_room(s);
}
