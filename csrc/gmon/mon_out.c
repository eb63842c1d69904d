/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads mon.out, the profiles of System V's prof (see doc/mon.out.md).
 *
 * A header tells the range of text that was sampled and how many functions have
 * counters of calls; these counters follow, and then bins, up to the end of the file. Who
 * called is not recorded, nor how many samples a second there were.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "gmon/bins.h"
#include "gmon/gmon_format.h"
#include "gmon/gmon_source.h"

typedef gp_source_file source;

/* Takes the next piece of the file, whose offset is in `data->record` from here on. */
static const unsigned char *take(source *s, size_t size, const char *what) {
  s->data->record = s->reader->offset;
  const unsigned char *bytes = gp_reader_take(s->reader, size);
  if (!bytes) gp_source_truncated(s, what);
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
static bool check_header(source *s, uint64_t low, uint64_t high, uint64_t counters) {
  uint64_t left = s->reader->size - s->reader->offset;
  if (low > high || (low == 0 && high > 0))
    return gp_fail(s->error, "is no mon.out, or another machine's: its text would begin "
                   "at 0x%" PRIx64 " and end at 0x%" PRIx64, low, high);
  return counters <= left / (2 * (uint64_t)s->layout.pointer_size) ||
         gp_fail(s->error, "is no mon.out, cut off, or another machine's: its header "
                 "would claim %" PRIu64 " counters of calls, but only %" PRIu64
                 " bytes follow", counters, left);
}

static bool read_header(source *s, gp_histogram *header, uint64_t *counters) {
  size_t size = s->layout.pointer_size;
  const unsigned char *bytes = take(s, 3 * size, "the header");
  if (!bytes) return false;
  *header = (gp_histogram){.low = gp_pointer(bytes, s->layout),
                           .high = gp_pointer(bytes + size, s->layout),
                           .rate = clock_rate(), .dimension = BSD_DIMENSION,
                           .abbreviation = BSD_ABBREVIATION, .width = 2};
  *counters = counter_count(bytes + 2 * size, s->layout);
  return check_header(s, header->low, header->high, *counters);
}

/* --- calls ----------------------------------------------------------------- */

/* A counter: an address in the function, mostly behind the call of what counts, and
 * calls. One that was not used has no address. */
static bool read_counter(source *s) {
  size_t size = s->layout.pointer_size;
  const unsigned char *bytes = take(s, 2 * size, "the counter");
  if (!bytes) return false;
  uint64_t self = gp_pointer(bytes, s->layout);
  uint64_t calls = gp_pointer(bytes + size, s->layout);
  if (self == 0 && calls == 0) return true;
  GP_TRACE(s->data->trace, GP_TRACE_RECORDS,
           "counter at offset %" PRIu64 ": 0x%" PRIx64 " is called %" PRIu64 " times",
           s->data->record, self, calls);
  return gp_data_add_arc(s->data, gp_unknown_caller(s->layout), self, calls, s->error);
}

static bool read_counters(source *s, uint64_t count) {
  s->data->has_arcs = true;
  for (uint64_t i = 0; i < count; i++)
    if (!read_counter(s)) return false;
  return true;
}

/* --- samples --------------------------------------------------------------- */

/* Appends the bins that can be taken at once, one at least. */
static bool append_bins(source *s, gp_histogram *histogram, size_t *room) {
  size_t count = gp_reader_at_hand(s->reader) / 2, done = histogram->bins;
  if (count == 0) count = 1;
  const unsigned char *bytes = take(s, count * 2, "a bin");
  if (!bytes) return false;
  if (done + count > UINT32_MAX)
    return gp_fail(s->error, "has more bins than a histogram can have");
  if (done + count > *room) {
    size_t more = gp_capacity(*room, done + count);
    if (!gp_resize(&histogram->counts, more, 2)) return gp_fail_memory(s->error);
    *room = more;
  }
  histogram->bins += count;
  gp_bins_set(histogram, done, bytes, count, s->layout);
  return true;
}

/* Reads the bins, up to the end of the file. */
static bool read_bins(source *s, gp_histogram *histogram) {
  size_t room = 0;
  while (gp_reader_available(s->reader, 2) > 0 && !s->reader->failed)
    if (!append_bins(s, histogram, &room)) return false;
  if (s->reader->failed) return false;
  if (histogram->bins > 0) gp_resize(&histogram->counts, histogram->bins, 2);
  return true;
}

/* Text has a word of two bytes for each bin, or more. Where there are more bins than
 * words the last ones are of what is behind the text. */
static bool stretch(source *s, gp_histogram *histogram) {
  uint64_t bytes = 2 * (uint64_t)histogram->bins;
  uint64_t room = gp_unknown_caller(s->layout) - histogram->low;
  if (bytes <= histogram->high - histogram->low) return true;
  if (bytes > room)
    return gp_fail(s->error, "has %zu bins, which reach beyond the last address",
                   histogram->bins);
  histogram->high = histogram->low + bytes;
  return true;
}

/* Adds the bins to the sum, which takes the column over if the range is new. */
static bool add_bins(source *s, gp_histogram *histogram, uint64_t record) {
  bool is_new;
  s->data->record = record;
  gp_histogram *place = gp_data_histogram(s->data, histogram, &is_new, s->error);
  if (!place) return false;
  GP_TRACE(s->data->trace, GP_TRACE_RECORDS,
           "bins at offset %" PRIu64 ": 0x%" PRIx64 " to 0x%" PRIx64
           ", %zu of %g bytes, %s", record, histogram->low, histogram->high,
           histogram->bins, 2 * gp_histogram_scale(histogram),
           is_new ? "a new range" : "added to those of that range");
  if (!is_new) return gp_bins_merge(place, histogram, s->error);
  place->bins = histogram->bins;
  place->counts = histogram->counts;
  histogram->counts = NULL;
  return true;
}

/* Without a range there is no histogram: such a file counts calls only. */
static bool read_histogram(source *s, gp_histogram *histogram) {
  uint64_t record = s->reader->offset;
  if (!read_bins(s, histogram)) return false;
  if (histogram->bins == 0 && histogram->low == histogram->high) return true;
  if (histogram->bins == 0)
    return gp_fail(s->error, "ends at offset %" PRIu64 ", where its bins should begin",
                   record);
  if (histogram->low == histogram->high)
    return gp_fail(s->error, "has %zu bins, but its header covers no text: 0x%" PRIx64
                   " to 0x%" PRIx64, histogram->bins, histogram->low, histogram->high);
  return stretch(s, histogram) && add_bins(s, histogram, record);
}

bool gp_source_read_mon(source *s) {
  gp_histogram histogram;
  uint64_t counters;
  if (!read_header(s, &histogram, &counters) || !read_counters(s, counters)) return false;
  bool done = read_histogram(s, &histogram);
  free(histogram.counts);
  return done;
}
