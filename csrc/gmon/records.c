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
  size_t size = r->counter.bytes;
  *count = 1;
  if (gp_reader_available(r->reader, size) >= size)
    /* a counter is never empty: NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
    *count = gp_reader_at_hand(r->reader) / size;
  if (*count > left) *count = left;
  const unsigned char *bytes = gp_reader_take(r->reader, *count * size);
  if (!bytes) gp_records_truncated(r, "the histogram");
  return bytes;
}

/* Whether a byte is not 0. */
static bool has_samples(const unsigned char *bytes, size_t size) {
  return size > 0 && (bytes[0] != 0 || memcmp(bytes, bytes + 1, size - 1) != 0);
}

/* Notes whether there are samples in `count` counts, of which `done` precede in the
 * record. Counts the full bins among them. */
static void note_counts(gp_records *r, const gp_histogram *header, size_t done,
                        const unsigned char *bytes, size_t count) {
  size_t size = r->counter.bytes;
  if (!r->data->sampled) r->data->sampled = has_samples(bytes, count * size);
  for (size_t i = 0;; i++) {
    i += gp_bins_full(bytes + i * size, count - i, r->counter, r->layout);
    if (i == count) return;
    if (r->full.count++ > 0) continue;
    double bin = (double)(header->high - header->low) / (double)header->bins;
    r->full.address = header->low + (uint64_t)(bin * (double)(done + i));
  }
}

/* Makes room for `count` bins after the first `done` of a new histogram, which has
 * `histogram->bins` in memory. Memory grows with the bins actually read, because the
 * claimed number of bins cannot be checked if the file is a pipe. */
static bool grow_bins(gp_records *r, gp_histogram *histogram, size_t done, size_t count) {
  if (count <= histogram->bins - done) return true;
  size_t room = gp_capacity(done, done + count), width = histogram->width;
  if (!gp_resize(&histogram->counts, room, width)) return gp_fail_memory(r->error);
  memset((char *)histogram->counts + histogram->bins * width, 0,
         (room - histogram->bins) * width);
  histogram->bins = room;
  return true;
}

/* Whether the counts have the size that bins have at first. */
static bool is_plain(gp_counter counter) {
  return counter.bytes == 2 && !counter.is_signed;
}

/* Adds counts to the bins of a histogram. */
static bool add_counts(gp_records *r, gp_histogram *histogram, size_t first,
                       const unsigned char *bytes, size_t count) {
  return is_plain(r->counter)
             ? gp_bins_add(histogram, first, bytes, count, r->layout, r->error)
             : gp_bins_add_wide(histogram, first, bytes, count, r->counter, r->layout,
                                r->error);
}

/* Reads the bins of a new range. */
static bool read_new_bins(gp_records *r, gp_histogram *histogram,
                          const gp_histogram *header) {
  size_t bins = header->bins;
  if (r->reader->size != UINT64_MAX) {  /* the file is large enough for the bins */
    histogram->counts = gp_column(bins, 2);
    if (!histogram->counts) return gp_fail_memory(r->error);
    histogram->bins = bins;
  }
  for (size_t done = 0, now; done < bins; done += now) {
    const unsigned char *bytes = take_bins(r, bins - done, &now);
    if (!bytes || !grow_bins(r, histogram, done, now)) return false;
    note_counts(r, header, done, bytes, now);
    if (is_plain(r->counter)) gp_bins_set(histogram, done, bytes, now, r->layout);
    else if (!add_counts(r, histogram, done, bytes, now)) return false;
  }
  /* only shrinks, so failure is harmless */
  gp_resize(&histogram->counts, bins, histogram->width);
  histogram->bins = bins;
  return true;
}

/* Reads bins and adds them to a histogram with the same range. */
static bool read_more_bins(gp_records *r, gp_histogram *histogram) {
  for (size_t done = 0, now; done < histogram->bins; done += now) {
    const unsigned char *bytes = take_bins(r, histogram->bins - done, &now);
    if (!bytes || !add_counts(r, histogram, done, bytes, now)) return false;
    note_counts(r, histogram, done, bytes, now);
  }
  return true;
}

/* Whether the data and the target accept a histogram, with or without samples. */
static bool is_accepted(const gp_records *r, const gp_histogram *header, bool sampled) {
  return (!r->target ||
          gp_data_accepts(r->target, header, sampled, r->offset, r->error)) &&
         gp_data_accepts(r->data, header, sampled, r->offset, r->error);
}

/* Skips the bins of a histogram that must have no samples, because its program was never
 * sampled: it has no bins, its rate is 0, or it is left out. */
static bool skip_empty_bins(gp_records *r, const gp_histogram *header) {
  bool empty = header->bins == 0 && header->low <= header->high;
  if (header->rate > 0 && !empty && !is_accepted(r, header, false)) return false;
  for (size_t done = 0, now; done < header->bins; done += now) {
    const unsigned char *bytes = take_bins(r, header->bins - done, &now);
    if (!bytes) return false;
    if (!has_samples(bytes, now * r->counter.bytes)) continue;
    return header->rate > 0
               ? is_accepted(r, header, true)
               : gp_fail(r->error, "histogram at offset %" PRIu64 " has samples, but a "
                         "rate of 0", r->offset);
  }
  r->data->stats.histogram_records++;
  r->data->stats.left_out++;
  return true;
}

void gp_records_end_range(gp_records *r) {
  gp_data_add_full(r->data, r->full);
  r->full = (gp_full_bins){0};
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
  if (r->target && !gp_data_accepts(r->target, header, true, r->offset, r->error))
    return NULL;
  if (!r->has_unit) gp_data_take_unit(r->data, header);
  r->has_unit = true;
  return gp_data_histogram(r->data, header, r->offset, is_new, r->error);
}

bool gp_records_add_bins(gp_records *r, const gp_histogram *header) {
  bool is_new;
  uint64_t size = (uint64_t)header->bins * r->counter.bytes;
  if (header->bins > 0 && !gp_reader_may_hold(r->reader, size))
    return gp_fail(r->error,
                   "histogram at offset %" PRIu64 " claims %zu bins, but only %" PRIu64
                   " bytes follow", r->offset, header->bins,
                   r->reader->size - r->reader->offset);
  if (header->bins == 0 || header->rate == 0 || gp_data_leaves_out(r->data, header) ||
      (r->target && gp_data_leaves_out(r->target, header)))
    return skip_empty_bins(r, header);
  gp_histogram *target = gp_records_histogram(r, header, &is_new);
  if (!target) return false;
  trace_histogram(r, header, is_new);
  if (header->low != r->full_in) gp_records_end_range(r);
  r->full = (gp_full_bins){0};
  r->full_in = header->low;
  return is_new ? read_new_bins(r, target, header) : read_more_bins(r, target);
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
