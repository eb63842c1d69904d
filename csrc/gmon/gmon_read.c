/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads profile files.
 *
 * What a file claims is checked against what it holds before memory is asked for, and a
 * message tells the offset of the record that is wrong.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"
#include "base/reader.h"
#include "gmon/bins.h"
#include "gmon/gmon_format.h"
#include "gmon/gmon_source.h"

typedef gp_source_file source;

/* --- calls and blocks -------------------------------------------------------- */

bool gp_source_add_arc(source *s, uint64_t from, uint64_t self, uint64_t calls) {
  GP_TRACE(s->data->trace, GP_TRACE_RECORDS,
           "arc at offset %" PRIu64 ": 0x%" PRIx64 " calls 0x%" PRIx64 " %" PRIu64
           " times", s->data->record, from, self, calls);
  return gp_data_add_arc(s->data, from, self, calls, s->error);
}

static bool add_block(source *s, uint64_t address, uint64_t executions) {
  GP_TRACE(s->data->trace, GP_TRACE_BLOCKS,
           "block at 0x%" PRIx64 ": %" PRIu64 " executions", address, executions);
  return gp_data_add_block(s->data, address, executions, s->error);
}

/* --- histograms ------------------------------------------------------------ */

bool gp_source_truncated(source *s, const char *kind) {
  if (s->reader->failed) return false;  /* the reader said why */
  return gp_fail(s->error, "ends in the middle of %s at offset %" PRIu64, kind,
                 s->data->record);
}

/* The next counts of a histogram that are at hand, `left` at most: *count of them. */
static const unsigned char *take_bins(source *s, size_t left, size_t *count) {
  *count = gp_reader_available(s->reader, 2) < 2 ? 1 : gp_reader_at_hand(s->reader) / 2;
  if (*count > left) *count = left;
  const unsigned char *bytes = gp_reader_take(s->reader, *count * 2);
  if (!bytes) gp_source_truncated(s, "the histogram");
  return bytes;
}

/* Makes room for `count` more bins behind the last one of a new histogram. The column
 * grows with what was really read: a pipe may claim any number of bins. */
static bool grow_bins(source *s, gp_histogram *histogram, size_t done, size_t count) {
  if (count <= histogram->bins - done) return true;
  size_t room = gp_capacity(done, done + count);
  if (!gp_resize(&histogram->counts, room, 2)) return gp_fail_memory(s->error);
  histogram->bins = room;
  return true;
}

/* Reads the bins of a histogram whose range is new. */
static bool read_new(source *s, gp_histogram *histogram, size_t bins) {
  if (s->reader->size != UINT64_MAX) {  /* the file is known to hold them */
    histogram->counts = gp_column(bins, 2);
    if (!histogram->counts) return gp_fail_memory(s->error);
    histogram->bins = bins;
  }
  for (size_t done = 0, now; done < bins; done += now) {
    const unsigned char *bytes = take_bins(s, bins - done, &now);
    if (!bytes || !grow_bins(s, histogram, done, now)) return false;
    gp_bins_set(histogram, done, bytes, now, s->layout);
  }
  gp_resize(&histogram->counts, bins, 2);  /* what does not shrink may stay */
  histogram->bins = bins;
  return true;
}

/* Reads bins and adds them to those of the same range. */
static bool read_more(source *s, gp_histogram *histogram) {
  for (size_t done = 0, now; done < histogram->bins; done += now) {
    const unsigned char *bytes = take_bins(s, histogram->bins - done, &now);
    if (!bytes || !gp_bins_add(histogram, done, bytes, now, s->layout, s->error))
      return false;
  }
  return true;
}

/* Tells of a histogram that is about to be read, into a new one or into one there is. */
static void trace_histogram(const source *s, const gp_histogram *header, bool new) {
  GP_TRACE(s->data->trace, GP_TRACE_RECORDS,
           "histogram at offset %" PRIu64 ": 0x%" PRIx64 " to 0x%" PRIx64
           ", %zu bins of %g bytes, %" PRIu32 " samples a unit of '%s', %s",
           s->data->record, header->low, header->high, header->bins,
           2 * gp_histogram_scale(header), header->rate, header->dimension,
           new ? "a new range" : "added to those of that range");
}

/* Reads the bins that `header` announces into the sum. */
static bool add_histogram(source *s, const gp_histogram *header) {
  bool is_new;
  if (header->bins > 0 && !gp_reader_may_hold(s->reader, (uint64_t)header->bins * 2))
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64 " claims %zu bins, but only %" PRIu64
                   " bytes follow", s->data->record, header->bins,
                   s->reader->size - s->reader->offset);
  gp_histogram *place = gp_data_histogram(s->data, header, &is_new, s->error);
  if (!place) return false;
  trace_histogram(s, header, is_new);
  return is_new ? read_new(s, place, header->bins) : read_more(s, place);
}

/* --- the current format ---------------------------------------------------- */

bool gp_source_read_histogram(source *s, gp_histogram *range) {
  size_t size = s->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(s->reader, 2 * size + 24);
  if (!bytes) return gp_source_truncated(s, "the histogram");
  gp_histogram header = {
      .low = gp_pointer(bytes, s->layout),
      .high = gp_pointer(bytes + size, s->layout),
      .bins = gp_u32(bytes + 2 * size, s->layout),
      .rate = gp_u32(bytes + 2 * size + 4, s->layout),
      .abbreviation = (char)bytes[2 * size + 23],
  };
  memcpy(header.dimension, bytes + 2 * size + 8, DIMENSION_SIZE);
  if (range) *range = header;
  return add_histogram(s, &header);
}

/* Adds the arcs at hand that the sum has in the same order, which are nearly all of a
 * file if it is not the first: they need not be looked up, nor taken one by one. Stops at
 * one that is another, or that there is no room for in a count. Traces tell of none. */
static void add_arcs_in_order(source *s) {
  gp_arcs *arcs = &s->data->arcs;
  gp_layout layout = s->layout;
  size_t size = layout.pointer_size, length = 1 + 2 * size + 4, row = arcs->next;
  size_t most = gp_reader_at_hand(s->reader) / length, done = 0;
  if (most > arcs->count - row) most = arcs->count - row;
  const unsigned char *bytes = gp_reader_peek(s->reader, most * length);
  for (; done < most; done++, row++, bytes += length)
    if (*bytes != TAG_ARC || gp_pointer(bytes + 1, layout) != arcs->from[row] ||
        gp_pointer(bytes + 1 + size, layout) != arcs->self[row] ||
        !gp_count_add(&arcs->calls[row], gp_u32(bytes + 1 + 2 * size, layout)))
      break;
  gp_reader_take(s->reader, done * length);
  arcs->next = (uint32_t)row;
  s->data->arc_records += done;
}

static bool read_arc(source *s) {
  size_t size = s->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(s->reader, 2 * size + 4);
  if (!bytes) return gp_source_truncated(s, "the arc");
  if (!gp_source_add_arc(s, gp_pointer(bytes, s->layout),
                         gp_pointer(bytes + size, s->layout),
                         gp_u32(bytes + 2 * size, s->layout)))
    return false;
  if (!gp_traces(s->data->trace, GP_TRACE_RECORDS)) add_arcs_in_order(s);
  return true;
}

static bool skip_string(source *s) {
  const unsigned char *byte;
  do
    if (!(byte = gp_reader_take(s->reader, 1)))
      return gp_source_truncated(s, "the block counts");
  while (*byte);
  return true;
}

/* Whether an address of 8 bytes is one of the image's: a sum that is written has no more
 * room than that. */
static bool check_address(source *s, uint64_t address) {
  unsigned size = s->layout.pointer_size;
  return size == 8 || address >> 32 == 0 ||
         gp_fail(s->error,
                 "block counts at offset %" PRIu64 " have an address, 0x%" PRIx64
                 ", that does not fit a pointer of %u bytes", s->data->record, address,
                 size);
}

/* A block of version 0: count, address, file, function, line. */
static bool read_old_block(source *s) {
  const unsigned char *bytes = gp_reader_take(s->reader, 16);
  if (!bytes) return gp_source_truncated(s, "the block counts");
  uint64_t executions = gp_u64(bytes, s->layout), address = gp_u64(bytes + 8, s->layout);
  if (!check_address(s, address) || !add_block(s, address, executions) ||
      !skip_string(s) || !skip_string(s))
    return false;
  return gp_reader_take(s->reader, 4) || gp_source_truncated(s, "the block counts");
}

static bool read_block(source *s) {
  size_t size = s->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(s->reader, 2 * size);
  if (!bytes) return gp_source_truncated(s, "the block counts");
  return add_block(s, gp_pointer(bytes, s->layout), gp_pointer(bytes + size, s->layout));
}

static bool read_blocks(source *s) {
  bool old = s->version == 0;
  const unsigned char *bytes = gp_reader_take(s->reader, 4);
  if (!bytes) return gp_source_truncated(s, "the block counts");
  uint32_t count = gp_u32(bytes, s->layout);
  if (old && !skip_string(s)) return false;
  if (!gp_reader_may_hold(s->reader,
                          count * (old ? 22 : 2 * (uint64_t)s->layout.pointer_size)))
    return gp_fail(s->error,
                   "block counts at offset %" PRIu64 " claim %" PRIu32
                   " blocks, but only %" PRIu64 " bytes follow",
                   s->data->record, count, s->reader->size - s->reader->offset);
  s->data->block_records++;
  GP_TRACE(s->data->trace, GP_TRACE_BLOCKS,
           "record at offset %" PRIu64 ": %" PRIu32 " blocks", s->data->record, count);
  for (uint32_t i = 0; i < count; i++)
    if (!(old ? read_old_block(s) : read_block(s))) return false;
  return true;
}

static bool read_record(source *s, unsigned char tag) {
  switch (tag) {
    case TAG_HISTOGRAM: return gp_source_read_histogram(s, NULL);
    case TAG_ARC: return read_arc(s);
    case TAG_BLOCKS: return read_blocks(s);
    default:
      return gp_fail(s->error, "bad tag %d at offset %" PRIu64
                     ": it should be 0 (histogram), 1 (arc) or 2 (block counts)",
                     tag, s->data->record);
  }
}

static bool read_records(source *s) {
  const unsigned char *tag;
  while (s->data->record = s->reader->offset,
         (tag = gp_reader_take(s->reader, 1)) != NULL)
    if (!read_record(s, *tag)) return false;
  return !s->reader->failed;
}

/* What is wrong with a version that is none. */
static bool fail_version(const source *s, uint32_t version) {
  uint32_t swapped = __builtin_bswap32(version);
  if (swapped == 1 || swapped == VERSION_SHARED)
    return gp_fail(s->error, "is %s-endian, and the program is not",
                   s->layout.big_endian ? "little" : "big");
  return gp_fail(s->error, "is of version %" PRIu32 "; known are 0 and 1", version);
}

/* A sum of profiles of a shared library says so where others have zeros. */
static bool read_mark(source *s, const unsigned char *header) {
  if (gp_u32(header + MARK_OFFSET, s->layout) != VERSION_SHARED) return true;
  s->data->shared = true;
  return gp_count_add(&s->data->uncounted, gp_u64(header + LOST_OFFSET, s->layout)) ||
         gp_fail(s->error, "has too many calls that were not counted");
}

static bool read_magic(source *s) {
  const unsigned char *bytes = gp_reader_take(s->reader, MAGIC_HEADER);
  s->version = gp_u32(bytes + 4, s->layout);
  s->data->version = s->version;
  if (s->version == VERSION_SHARED) return gp_source_read_shared(s);
  if (s->version > 1) return fail_version(s, s->version);
  return read_mark(s, bytes) && read_records(s);
}

/* --- the BSD formats ------------------------------------------------------- */

static bool read_bsd_arcs(source *s) {
  size_t size = s->layout.pointer_size;
  s->data->has_arcs = true;
  for (;;) {
    s->data->record = s->reader->offset;
    size_t left = gp_reader_available(s->reader, 3 * size);
    if (left == 0 || s->reader->failed) return !s->reader->failed;
    const unsigned char *bytes = gp_reader_take(s->reader, 3 * size);
    if (!bytes) return gp_source_truncated(s, "the arc");
    if (!gp_source_add_arc(s, gp_pointer(bytes, s->layout),
                           gp_pointer(bytes + size, s->layout),
                           gp_bsd_count(bytes + 2 * size, s->layout)))
      return false;
  }
}

/* Reads what follows a header of `size` bytes, which claims `total` of itself and
 * the bins together. */
static bool read_bsd_body(source *s, gp_histogram *header, uint32_t total, size_t size) {
  if (total < size)
    return gp_fail(s->error, "is no profile: it does not begin with \"gmon\", and a BSD "
                   "header would claim %" PRIu32 " bytes, less than itself", total);
  header->bins = (total - size) / 2;
  if (!gp_reader_may_hold(s->reader, (uint64_t)header->bins * 2))
    return gp_fail(s->error,
                   "is no profile, or cut off: it does not begin with \"gmon\", and "
                   "a BSD header would claim %" PRIu32 " bytes, the file has %" PRIu64,
                   total, s->reader->size);
  strcpy(header->dimension, BSD_DIMENSION);
  header->abbreviation = BSD_ABBREVIATION;
  if (header->bins > 0 && !add_histogram(s, header)) return false;
  return read_bsd_arcs(s);
}

static bool read_bsd(source *s, bool dated) {
  size_t size = s->layout.pointer_size, length = 2 * size + (dated ? 24 : 4);
  const unsigned char *bytes = gp_reader_take(s->reader, length);
  if (!bytes) return gp_source_truncated(s, "the header");
  gp_histogram header = {
      .low = gp_pointer(bytes, s->layout),
      .high = gp_pointer(bytes + size, s->layout),
      .rate = dated ? gp_u32(bytes + 2 * size + 8, s->layout) : clock_rate(),
  };
  if (header.rate == 0) header.rate = clock_rate();
  return read_bsd_body(s, &header, gp_u32(bytes + 2 * size, s->layout), length);
}

/* --- which of them --------------------------------------------------------- */

static bool is_44bsd(source *s) {
  size_t place = 2 * (size_t)s->layout.pointer_size + 4;
  const unsigned char *bytes = gp_reader_peek(s->reader, place + 4);
  return bytes && gp_u32(bytes + place, s->layout) == VERSION_44BSD;
}

static bool read_file(source *s, gp_format format) {
  if (gp_reader_available(s->reader, 1) == 0 && !s->reader->failed)
    return gp_fail(s->error, "is empty");
  const unsigned char *header = gp_reader_peek(s->reader, MAGIC_HEADER);
  if (s->reader->failed) return false;
  if (!header) return gp_fail(s->error, "is too short to be a profile");
  bool magic = memcmp(header, MAGIC, 4) == 0;
  if (format == GP_FORMAT_AUTO)
    format = magic ? GP_FORMAT_MAGIC : GP_FORMAT_BSD;
  if (format == GP_FORMAT_PROF && magic) format = GP_FORMAT_MAGIC;  /* a sum */
  if (magic && format != GP_FORMAT_MAGIC)
    return gp_fail(s->error, "begins with \"gmon\", and so is of the magic format");
  s->data->format = format == GP_FORMAT_BSD && is_44bsd(s) ? GP_FORMAT_44BSD : format;
  switch (format) {
    case GP_FORMAT_MAGIC:
      if (!magic)
        return gp_fail(s->error,
                       "does not begin with \"gmon\" as the magic format does");
      return read_magic(s);
    case GP_FORMAT_44BSD:
      if (!is_44bsd(s))
        return gp_fail(s->error, "has not the version number of a 4.4BSD profile");
      return read_bsd(s, true);
    case GP_FORMAT_PROF: return gp_source_read_mon(s);
    default:
      return read_bsd(s, s->data->format == GP_FORMAT_44BSD);
  }
}

/* Adds what a reader has open, and closes that. */
static bool read_all(gp_data *data, gp_reader *reader, gp_format format,
                     gp_error *error) {
  source s = {.data = data, .reader = reader, .error = error, .layout = data->layout};
  data->record = 0;
  data->arcs.next = 0;
  bool done = read_file(&s, format);
  data->record = GP_NO_RECORD;
  data->bytes += reader->offset;
  gp_reader_close(reader);
  return done;
}

bool gp_data_read(gp_data *data, const char *path, gp_format format, gp_error *error) {
  gp_reader reader;
  if (!gp_reader_open(&reader, path, error)) return false;
  GP_TRACE(data->trace, GP_TRACE_RECORDS, "file %s", path);
  return read_all(data, &reader, format, error);
}

bool gp_data_read_open(gp_data *data, int file, gp_format format, gp_error *error) {
  gp_reader reader;
  return gp_reader_share(&reader, file, error) && read_all(data, &reader, format, error);
}
