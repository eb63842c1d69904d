/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that several formats have in common. */
#include "gmon/records.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "gmon/bins.h"
#include "gmon/gmon_format.h"

bool gp_records_truncated(gp_records *r, const char *kind) {
  if (r->reader->failed) return false;  /* the reader has stored a message */
  return gp_fail(r->error, "ends in the middle of %s at offset %" PRIu64, kind,
                 r->offset);
}

bool gp_records_add_arc(gp_records *r, uint64_t from, uint64_t self, uint64_t calls) {
  GP_TRACE(r->trace, GP_TRACE_RECORDS,
           "arc at offset %" PRIu64 ": 0x%" PRIx64 " calls 0x%" PRIx64 " %" PRIu64
           " times", r->offset, from, self, calls);
  return gp_data_add_arc(r->data, from, self, calls, r->offset, r->error);
}

/* Takes at most `left` counts of a histogram from the reader's window. Sets *count to
 * their number. */
static const unsigned char *take_bins(gp_records *r, size_t left, size_t *count) {
  *count = gp_reader_available(r->reader, 2) < 2 ? 1 : gp_reader_at_hand(r->reader) / 2;
  if (*count > left) *count = left;
  const unsigned char *bytes = gp_reader_take(r->reader, *count * 2);
  if (!bytes) gp_records_truncated(r, "the histogram");
  return bytes;
}

/* Makes room for `count` bins after the first `done` of a new histogram. Memory grows
 * with the bins actually read, because the claimed number of bins cannot be checked if
 * the file is a pipe. */
static bool grow_bins(gp_records *r, gp_histogram *histogram, size_t done, size_t count) {
  if (count <= histogram->bins - done) return true;
  size_t room = gp_capacity(done, done + count);
  if (!gp_resize(&histogram->counts, room, 2)) return gp_fail_memory(r->error);
  histogram->bins = room;
  return true;
}

/* Reads the bins of a new range. */
static bool read_new_bins(gp_records *r, gp_histogram *histogram, size_t bins) {
  if (r->reader->size != UINT64_MAX) {  /* the file is large enough for the bins */
    histogram->counts = gp_column(bins, 2);
    if (!histogram->counts) return gp_fail_memory(r->error);
    histogram->bins = bins;
  }
  for (size_t done = 0, now; done < bins; done += now) {
    const unsigned char *bytes = take_bins(r, bins - done, &now);
    if (!bytes || !grow_bins(r, histogram, done, now)) return false;
    gp_bins_set(histogram, done, bytes, now, r->layout);
  }
  gp_resize(&histogram->counts, bins, 2);  /* only shrinks, so failure is harmless */
  histogram->bins = bins;
  return true;
}

/* Reads bins and adds them to a histogram with the same range. */
static bool read_more_bins(gp_records *r, gp_histogram *histogram) {
  for (size_t done = 0, now; done < histogram->bins; done += now) {
    const unsigned char *bytes = take_bins(r, histogram->bins - done, &now);
    if (!bytes || !gp_bins_add(histogram, done, bytes, now, r->layout, r->error))
      return false;
  }
  return true;
}

/* Traces a histogram before its bins are read. */
static void trace_histogram(const gp_records *r, const gp_histogram *header, bool new) {
  GP_TRACE(r->trace, GP_TRACE_RECORDS,
           "histogram at offset %" PRIu64 ": 0x%" PRIx64 " to 0x%" PRIx64
           ", %zu bins of %g bytes, %" PRIu32 " samples per unit of '%s', %s",
           r->offset, header->low, header->high, header->bins,
           2 * gp_histogram_scale(header), header->rate, header->dimension,
           new ? "a new range" : "added to the same range");
}

gp_histogram *gp_records_histogram(gp_records *r, const gp_histogram *header,
                                   bool *is_new) {
  if (r->target && !gp_data_accepts(r->target, header, r->offset, r->error)) return NULL;
  return gp_data_histogram(r->data, header, r->offset, is_new, r->error);
}

bool gp_records_add_bins(gp_records *r, const gp_histogram *header) {
  bool is_new;
  if (header->bins > 0 && !gp_reader_may_hold(r->reader, (uint64_t)header->bins * 2))
    return gp_fail(r->error,
                   "histogram at offset %" PRIu64 " claims %zu bins, but only %" PRIu64
                   " bytes follow", r->offset, header->bins,
                   r->reader->size - r->reader->offset);
  gp_histogram *target = gp_records_histogram(r, header, &is_new);
  if (!target) return false;
  trace_histogram(r, header, is_new);
  return is_new ? read_new_bins(r, target, header->bins) : read_more_bins(r, target);
}

bool gp_records_read_histogram(gp_records *r, gp_histogram *range) {
  size_t size = r->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(r->reader, 2 * size + 24);
  if (!bytes) return gp_records_truncated(r, "the histogram");
  gp_histogram header = {
      .low = gp_pointer(bytes, r->layout),
      .high = gp_pointer(bytes + size, r->layout),
      .bins = gp_u32(bytes + 2 * size, r->layout),
      .rate = gp_u32(bytes + 2 * size + 4, r->layout),
      .abbreviation = (char)bytes[2 * size + 23],
  };
  memcpy(header.dimension, bytes + 2 * size + 8, DIMENSION_SIZE);
  if (range) *range = header;
  return gp_records_add_bins(r, &header);
}
