/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads mon.out, the profiles of System V's prof.
 *
 * A header gives the range of text that was sampled and the number of call counters. The
 * counters follow, and then bins, up to the end of the file. Neither callers nor the rate
 * of samples are recorded.
 */
#include "gmon/mon_out.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "gmon/bins.h"
#include "gmon/gmon_format.h"

/* Takes the next piece of the file, which becomes the current record. */
static const unsigned char *take(gp_records *r, size_t size, const char *what) {
  r->offset = r->reader->offset;
  const unsigned char *bytes = gp_reader_take(r->reader, size);
  if (!bytes) gp_records_truncated(r, what);
  return bytes;
}

/* --- the header ------------------------------------------------------------ */

/* How many counters there are. It is a size in some systems and an int in others, with
 * nothing behind it up to the size of an address: then, of a big-endian machine, it is
 * the half that is worth more. */
static uint64_t counter_count(const unsigned char *bytes, gp_layout layout) {
  uint64_t count = gp_pointer(bytes, layout);
  return layout.big_endian && (uint32_t)count == 0 ? count >> 32 : count;
}

/* Whether the header is that of a profile on such a machine as the data are of. Text
 * never begins at 0, by which monitor(3) is told to write the file. */
static bool check_header(gp_records *r, uint64_t low, uint64_t high, uint64_t counters) {
  uint64_t left = r->reader->size - r->reader->offset;
  if (low > high || (low == 0 && high > 0))
    return gp_fail(r->error, "is no mon.out, or another machine's: its text would begin "
                   "at 0x%" PRIx64 " and end at 0x%" PRIx64, low, high);
  return counters <= left / (2 * (uint64_t)r->layout.pointer_size) ||
         gp_fail(r->error, "is no mon.out, cut off, or another machine's: its header "
                 "would claim %" PRIu64 " counters of calls, but only %" PRIu64
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

/* A counter: an address in the function, mostly behind the call of what counts, and
 * calls. One that was not used has no address. */
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

static bool read_counters(gp_records *r, uint64_t count) {
  r->data->has_arcs = true;
  for (uint64_t i = 0; i < count; i++)
    if (!read_counter(r)) return false;
  return true;
}

/* --- samples --------------------------------------------------------------- */

/* Appends the bins that can be taken at once, one at least. */
static bool append_bins(gp_records *r, gp_histogram *histogram, size_t *room) {
  size_t count = gp_reader_at_hand(r->reader) / 2, done = histogram->bins;
  if (count == 0) count = 1;
  const unsigned char *bytes = take(r, count * 2, "a bin");
  if (!bytes) return false;
  if (done + count > UINT32_MAX)
    return gp_fail(r->error, "has more bins than a histogram can have");
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

/* Text has a word of two bytes for each bin, or more. Where there are more bins than
 * words the last ones are of what is behind the text. */
static bool stretch(gp_records *r, gp_histogram *histogram) {
  uint64_t bytes = 2 * (uint64_t)histogram->bins;
  uint64_t room = gp_unknown_caller(r->layout) - histogram->low;
  if (bytes <= histogram->high - histogram->low) return true;
  if (bytes > room)
    return gp_fail(r->error, "has %zu bins, which reach beyond the last address",
                   histogram->bins);
  histogram->high = histogram->low + bytes;
  return true;
}

/* Adds the bins to the sum, which takes the column over if the range is new. */
static bool add_bins(gp_records *r, gp_histogram *histogram, uint64_t record) {
  bool is_new;
  r->offset = record;
  gp_histogram *place = gp_records_histogram(r, histogram, &is_new);
  if (!place) return false;
  GP_TRACE(r->trace, GP_TRACE_RECORDS,
           "bins at offset %" PRIu64 ": 0x%" PRIx64 " to 0x%" PRIx64
           ", %zu of %g bytes, %s", record, histogram->low, histogram->high,
           histogram->bins, 2 * gp_histogram_scale(histogram),
           is_new ? "a new range" : "added to those of that range");
  if (!is_new) return gp_bins_merge(place, histogram, r->error);
  place->bins = histogram->bins;
  place->counts = histogram->counts;
  histogram->counts = NULL;
  return true;
}

/* Without a range there is no histogram: such a file counts calls only. */
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
  if (!read_header(r, &histogram, &counters) || !read_counters(r, counters)) return false;
  bool done = read_histogram(r, &histogram);
  free(histogram.counts);
  return done;
}
