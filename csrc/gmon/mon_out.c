/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads mon.out, the profile format of System V's prof.
 *
 * A header gives the sampled range of text and the number of call counters. The counters
 * follow, and then the bins, up to the end of the file. The format records neither
 * callers nor the sampling rate.
 */
#include "gmon/mon_out.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "gmon/bins.h"
#include "gmon/gmon_format.h"

/* The most bytes of bins. Their number is unknown, and pipes and devices may be
 * endless. */
#define MAX_BYTES ((size_t)256 << 20)

/* Takes the next `size` bytes, and makes them the current record for messages. */
static const unsigned char *take(gp_records *r, size_t size, const char *kind) {
  r->offset = r->reader->offset;
  const unsigned char *bytes = gp_reader_take(r->reader, size);
  if (!bytes) gp_records_truncated(r, kind);
  return bytes;
}

/* --- the header ------------------------------------------------------------ */

/* Returns the number of counters. The field is as wide as a pointer. Some systems store a
 * size_t there, others an int followed by zero padding. On a 64-bit big-endian machine
 * the int is the upper half. */
static uint64_t counter_count(const unsigned char *bytes, gp_layout layout) {
  uint64_t count = gp_pointer(bytes, layout);
  return layout.big_endian && (uint32_t)count == 0 ? count >> 32 : count;
}

/* Whether the header is plausible for the byte order and the pointer size of the data.
 * Text cannot begin at 0: monitor(0) means "write the file". */
static bool check_header(gp_records *r, uint64_t low, uint64_t high, uint64_t counters) {
  uint64_t left = r->reader->size - r->reader->offset;
  if (low > high || (low == 0 && high > 0))
    return gp_fail(r->error, "not a mon.out, or from another machine: its header claims "
                   "text from 0x%" PRIx64 " to 0x%" PRIx64, low, high);
  return counters <= left / (2 * (uint64_t)r->layout.pointer_size) ||
         gp_fail(r->error, "not a mon.out, truncated, or from another machine: its "
                 "header claims %" PRIu64 " call counters, but only %" PRIu64
                 " bytes follow", counters, left);
}

static bool read_header(gp_records *r, gp_histogram *header, uint64_t *counters) {
  size_t size = r->layout.pointer_size;
  const unsigned char *bytes = take(r, 3 * size, "the header");
  if (!bytes) return false;
  *header = (gp_histogram){.low = gp_pointer(bytes, r->layout),
                           .high = gp_pointer(bytes + size, r->layout),
                           .rate = clock_rate(), .dimension = BSD_DIMENSION,
                           .abbreviation = BSD_ABBREVIATION, .width = 2};
  *counters = counter_count(bytes + 2 * size, r->layout);
  return check_header(r, header->low, header->high, *counters);
}

/* --- calls ----------------------------------------------------------------- */

/* Reads a counter: an address in the function, usually the return address of its call to
 * mcount, and the number of calls. Both are 0 in an unused counter. */
static bool read_counter(gp_records *r) {
  size_t size = r->layout.pointer_size;
  const unsigned char *bytes = take(r, 2 * size, "the counter");
  if (!bytes) return false;
  uint64_t self = gp_pointer(bytes, r->layout);
  uint64_t calls = gp_pointer(bytes + size, r->layout);
  if (self == 0 && calls == 0) return true;
  GP_TRACE(r->trace, GP_TRACE_RECORDS,
           "counter at offset %" PRIu64 ": 0x%" PRIx64 " is called %" PRIu64 " times",
           r->offset, self, calls);
  return gp_data_add_arc(r->data, gp_unknown_caller(r->layout), self, calls, r->offset,
                         r->error);
}

/* --- samples --------------------------------------------------------------- */

/* Appends the bins in the reader's window, at least one. */
static bool append_bins(gp_records *r, gp_histogram *histogram, size_t *room) {
  size_t count = gp_reader_at_hand(r->reader) / 2, done = histogram->bins;
  if (count == 0) count = 1;
  const unsigned char *bytes = take(r, count * 2, "a bin");
  if (!bytes) return false;
  if (2 * (done + count) > MAX_BYTES)
    return gp_fail(r->error, "has more than %zu MB of bins", MAX_BYTES >> 20);
  if (done + count > *room) {
    size_t more = gp_capacity(*room, done + count);
    if (!gp_resize(&histogram->counts, more, 2)) return gp_fail_memory(r->error);
    *room = more;
  }
  histogram->bins += count;
  gp_bins_set(histogram, done, bytes, count, r->layout);
  return true;
}

/* Reads the bins, up to the end of the file. */
static bool read_bins(gp_records *r, gp_histogram *histogram) {
  size_t room = 0;
  while (gp_reader_available(r->reader, 2) > 0 && !r->reader->failed)
    if (!append_bins(r, histogram, &room)) return false;
  if (r->reader->failed) return false;
  if (histogram->bins > 0) gp_resize(&histogram->counts, histogram->bins, 2);
  return true;
}

/* A bin covers at least two bytes of text. If there are too many bins for the range,
 * extends the range: the last bins lie past the end of the text. */
static bool stretch(gp_records *r, gp_histogram *histogram) {
  uint64_t bytes = 2 * (uint64_t)histogram->bins;
  uint64_t room = gp_unknown_caller(r->layout) - histogram->low;
  if (bytes <= histogram->high - histogram->low) return true;
  if (bytes > room)
    return gp_fail(r->error, "has %zu bins, which extend past the last address",
                   histogram->bins);
  histogram->high = histogram->low + bytes;
  return true;
}

/* Adds the bins to the data. If the range is new, moves the array `counts` into the
 * data. */
static bool add_bins(gp_records *r, gp_histogram *histogram, uint64_t record) {
  bool is_new;
  r->offset = record;
  gp_histogram *target = gp_records_histogram(r, histogram, &is_new);
  if (!target) return false;
  r->data->sampled |= gp_bins_next(histogram, 0) < histogram->bins;
  GP_TRACE(r->trace, GP_TRACE_RECORDS,
           "bins at offset %" PRIu64 ": 0x%" PRIx64 " to 0x%" PRIx64
           ", %zu of %g bytes, %s", record, histogram->low, histogram->high,
           histogram->bins, 2 * gp_histogram_scale(histogram),
           is_new ? "a new range" : "added to the same range");
  if (!is_new) return gp_bins_merge(target, histogram, r->error);
  target->bins = histogram->bins;
  target->counts = histogram->counts;
  histogram->counts = NULL;
  return true;
}

/* A file with an empty range and no bins has only call counts. */
static bool read_histogram(gp_records *r, gp_histogram *histogram) {
  uint64_t record = r->reader->offset;
  if (!read_bins(r, histogram)) return false;
  if (histogram->bins == 0 && histogram->low == histogram->high) return true;
  if (histogram->bins == 0)
    return gp_fail(r->error, "ends at offset %" PRIu64 ", where its bins should begin",
                   record);
  if (histogram->low == histogram->high)
    return gp_fail(r->error, "has %zu bins, but its header covers no text: 0x%" PRIx64
                   " to 0x%" PRIx64, histogram->bins, histogram->low, histogram->high);
  return stretch(r, histogram) && add_bins(r, histogram, record);
}

bool gp_mon_out_read(gp_records *r) {
  gp_histogram histogram;
  uint64_t counters;
  if (!read_header(r, &histogram, &counters)) return false;
  r->data->has_arcs = true;
  for (uint64_t i = 0; i < counters; i++)
    if (!read_counter(r)) return false;
  bool done = read_histogram(r, &histogram);
  free(histogram.counts);
  return done;
}
