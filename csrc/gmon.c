/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profile data: what a gmon.out holds. */
#include "gmon.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bins.h"
#include "count.h"
#include "gmon_format.h"
#include "reader.h"

#define VERSION_SHARED_OBJECT UINT32_C(0x1ffff)

/* More text than this cannot be: its size is computed with in signed numbers. */
#define MOST_TEXT (UINT64_C(1) << 62)

/* One file that is being read. */
typedef struct source {
  gp_data *data;
  gp_reader *reader;
  gp_error *error;
  gp_layout layout;
  uint32_t version;
  uint64_t record;      /* offset of the record that is being read */
  uint32_t next_arc;    /* the row behind the last arc's */
} source;

/* --- columns --------------------------------------------------------------- */

static gp_key arc_key(const void *columns, uint32_t row) {
  const gp_arcs *arcs = columns;
  return (gp_key){arcs->from[row], arcs->self[row]};
}

static gp_key block_key(const void *columns, uint32_t row) {
  const gp_blocks *blocks = columns;
  return (gp_key){blocks->address[row], 0};
}

void gp_data_init(gp_data *data, gp_layout layout) {
  memset(data, 0, sizeof *data);
  data->layout = layout;
  gp_index_init(&data->arcs.index, arc_key, &data->arcs);
  gp_index_init(&data->blocks.index, block_key, &data->blocks);
}

void gp_data_free(gp_data *data) {
  for (size_t i = 0; i < data->histogram_count; i++) free(data->histograms[i].counts);
  free(data->histograms);
  free(data->by_address);
  free(data->arcs.from);
  free(data->arcs.self);
  free(data->arcs.calls);
  gp_index_free(&data->arcs.index);
  free(data->blocks.address);
  free(data->blocks.executions);
  gp_index_free(&data->blocks.index);
  gp_data_init(data, data->layout);
}

/* Adds to a count. */
static bool add_count(source *s, uint64_t *count, uint64_t more) {
  return gp_count_add(count, more) ||
         gp_fail(s->error, "count beyond 63 bits in the record at offset %" PRIu64,
                 s->record);
}

/* The row of an arc, or GP_NONE. Profiles of one program tell of their arcs in the same
 * order: mostly it is the row behind the last one, or the next if this one has fewer. */
static uint32_t find_arc(const source *s, uint64_t from, uint64_t self) {
  const gp_arcs *arcs = &s->data->arcs;
  for (size_t row = s->next_arc; row < s->next_arc + (size_t)2 && row < arcs->count; row++)
    if (arcs->from[row] == from && arcs->self[row] == self) return (uint32_t)row;
  return gp_index_find(&arcs->index, (gp_key){from, self});
}

static bool add_arc(source *s, uint64_t from, uint64_t self, uint64_t calls) {
  gp_arcs *arcs = &s->data->arcs;
  uint32_t row = find_arc(s, from, self);
  s->next_arc = (row == GP_NONE ? (uint32_t)arcs->count : row) + 1;
  s->data->arc_records++;
  s->data->has_arcs = true;
  GP_TRACE(s->data->trace, GP_TRACE_RECORDS,
           "arc at offset %" PRIu64 ": 0x%" PRIx64 " calls 0x%" PRIx64 " %" PRIu64 " times",
           s->record, from, self, calls);
  if (row != GP_NONE) return add_count(s, &arcs->calls[row], calls);
  if (arcs->count == arcs->capacity) {
    size_t room = gp_capacity(arcs->capacity, arcs->count + 1);
    if (room >= GP_NONE || !gp_resize(&arcs->from, room, sizeof *arcs->from) ||
        !gp_resize(&arcs->self, room, sizeof *arcs->self) ||
        !gp_resize(&arcs->calls, room, sizeof *arcs->calls))
      return gp_fail_memory(s->error);
    arcs->capacity = room;
  }
  row = (uint32_t)arcs->count;
  arcs->from[row] = from;
  arcs->self[row] = self;
  arcs->calls[row] = 0;
  if (!add_count(s, &arcs->calls[row], calls)) return false;
  arcs->count++;
  return gp_index_add(&arcs->index, row) || gp_fail_memory(s->error);
}

static bool add_block(source *s, uint64_t address, uint64_t executions) {
  gp_blocks *blocks = &s->data->blocks;
  uint32_t row = gp_index_find(&blocks->index, (gp_key){address, 0});
  GP_TRACE(s->data->trace, GP_TRACE_BLOCKS, "block at 0x%" PRIx64 ": %" PRIu64 " executions",
           address, executions);
  if (row != GP_NONE) return add_count(s, &blocks->executions[row], executions);
  if (blocks->count == blocks->capacity) {
    size_t room = gp_capacity(blocks->capacity, blocks->count + 1);
    if (room >= GP_NONE || !gp_resize(&blocks->address, room, sizeof *blocks->address) ||
        !gp_resize(&blocks->executions, room, sizeof *blocks->executions))
      return gp_fail_memory(s->error);
    blocks->capacity = room;
  }
  row = (uint32_t)blocks->count;
  blocks->address[row] = address;
  blocks->executions[row] = 0;
  if (!add_count(s, &blocks->executions[row], executions)) return false;
  blocks->count++;
  return gp_index_add(&blocks->index, row) || gp_fail_memory(s->error);
}

/* --- histograms ------------------------------------------------------------ */

double gp_histogram_scale(const gp_histogram *histogram) {
  return (double)((histogram->high - histogram->low) / 2) / (double)histogram->bins;
}

static bool truncated(source *s, const char *kind) {
  if (s->reader->failed) return false;  /* the reader said why */
  return gp_fail(s->error, "ends in the middle of %s at offset %" PRIu64, kind,
                 s->record);
}

/* The next counts of a histogram that are at hand, `left` at most: *count of them. */
static const unsigned char *take_bins(source *s, size_t left, size_t *count) {
  *count = gp_reader_available(s->reader, 2) < 2 ? 1 : gp_reader_at_hand(s->reader) / 2;
  if (*count > left) *count = left;
  const unsigned char *bytes = gp_reader_take(s->reader, *count * 2);
  if (!bytes) truncated(s, "the histogram");
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
  histogram->width = 2;
  histogram->bins = 0;
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

/* Makes room for one more histogram, which `before` others precede by address. */
static gp_histogram *place_histogram(gp_data *data, size_t before) {
  if (data->histogram_count == data->histogram_capacity) {
    size_t room = gp_capacity(data->histogram_capacity, data->histogram_count + 1);
    if (!gp_resize(&data->histograms, room, sizeof *data->histograms) ||
        !gp_resize(&data->by_address, room, sizeof *data->by_address))
      return NULL;
    data->histogram_capacity = room;
  }
  uint32_t *place = data->by_address + before;
  memmove(place + 1, place, (data->histogram_count - before) * sizeof *place);
  *place = (uint32_t)data->histogram_count;
  return &data->histograms[data->histogram_count++];
}

/* How many histograms lie wholly below `address`. */
static size_t histograms_below(const gp_data *data, uint64_t address) {
  size_t low = 0, high = data->histogram_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (data->histograms[data->by_address[middle]].high <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether a histogram can be added to what there is: same dimension, same rate,
 * same size of a bin (in two-byte units, to a millionth). */
static bool is_compatible(source *s, const gp_histogram *new) {
  if (s->data->histogram_count == 0) return true;
  const gp_histogram *first = &s->data->histograms[0];
  if (strcmp(new->dimension, first->dimension) != 0)
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64 " counts '%s', the ones before '%s'",
                   s->record, new->dimension, first->dimension);
  if (new->abbreviation != first->abbreviation)
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64
                   " counts '%s' (%c), the ones before '%s' (%c)",
                   s->record, new->dimension, new->abbreviation, first->dimension,
                   first->abbreviation);
  double scale = gp_histogram_scale(new), expected = gp_histogram_scale(first);
  if (fabs(scale - expected) > 1e-6)
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64
                   " has bins of %g bytes, the ones before have %g",
                   s->record, scale * 2, expected * 2);
  if (new->rate != first->rate && !s->data->mixed_rates)
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64 " has rate %" PRIu32
                   ", the ones before have %" PRIu32,
                   s->record, new->rate, first->rate);
  return true;
}

static bool is_sound(source *s, const gp_histogram *new) {
  if (new->bins == 0)
    return gp_fail(s->error, "histogram at offset %" PRIu64 " has no bins", s->record);
  if (new->low >= new->high)
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64 " covers no text: 0x%" PRIx64
                   " to 0x%" PRIx64, s->record, new->low, new->high);
  if (new->high - new->low > MOST_TEXT)
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64 " covers more than there can be: 0x%" PRIx64
                   " to 0x%" PRIx64, s->record, new->low, new->high);
  if (new->rate == 0)
    return gp_fail(s->error, "histogram at offset %" PRIu64 " has a rate of 0", s->record);
  if (!gp_reader_may_hold(s->reader, (uint64_t)new->bins * 2))
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64 " claims %zu bins, but only %" PRIu64
                   " bytes follow", s->record, new->bins,
                   s->reader->size - s->reader->offset);
  return true;
}

/* Tells of a histogram that is about to be read, into a new one or into one there is. */
static void trace_histogram(const source *s, const gp_histogram *header, bool new) {
  GP_TRACE(s->data->trace, GP_TRACE_RECORDS,
           "histogram at offset %" PRIu64 ": 0x%" PRIx64 " to 0x%" PRIx64
           ", %zu bins of %g bytes, %" PRIu32 " samples a unit of '%s', %s",
           s->record, header->low, header->high, header->bins,
           2 * gp_histogram_scale(header), header->rate, header->dimension,
           new ? "a new range" : "added to those of that range");
}

/* Reads the bins that `header` announces into the sum. */
static bool add_histogram(source *s, const gp_histogram *header) {
  gp_data *data = s->data;
  if (!is_sound(s, header) || !is_compatible(s, header)) return false;
  size_t below = histograms_below(data, header->low);
  gp_histogram *next = below < data->histogram_count
                           ? &data->histograms[data->by_address[below]] : NULL;
  data->histogram_records++;
  if (!next || header->high <= next->low) {
    gp_histogram *place = place_histogram(data, below);
    if (!place) return gp_fail_memory(s->error);
    *place = *header;
    trace_histogram(s, header, true);
    return read_new(s, place, header->bins);
  }
  if (header->low != next->low || header->high != next->high || header->bins != next->bins)
    return gp_fail(s->error,
                   "histogram at offset %" PRIu64 ", 0x%" PRIx64 " to 0x%" PRIx64
                   ", overlaps another one, 0x%" PRIx64 " to 0x%" PRIx64,
                   s->record, header->low, header->high, next->low, next->high);
  trace_histogram(s, header, false);
  return read_more(s, next);
}

/* --- the current format ---------------------------------------------------- */

static bool read_histogram(source *s) {
  unsigned size = s->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(s->reader, 2 * size + 24);
  if (!bytes) return truncated(s, "the histogram");
  gp_histogram header = {
      .low = gp_pointer(bytes, s->layout),
      .high = gp_pointer(bytes + size, s->layout),
      .bins = gp_u32(bytes + 2 * size, s->layout),
      .rate = gp_u32(bytes + 2 * size + 4, s->layout),
      .abbreviation = (char)bytes[2 * size + 23],
  };
  memcpy(header.dimension, bytes + 2 * size + 8, DIMENSION_SIZE);
  return add_histogram(s, &header);
}

/* Adds the arcs at hand that the sum has in the same order, which are nearly all of a
 * file if it is not the first: they need not be looked up, nor taken one by one. Stops at
 * one that is another, or that there is no room for in a count. Traces tell of none. */
static void add_arcs_in_order(source *s) {
  gp_arcs *arcs = &s->data->arcs;
  gp_layout layout = s->layout;
  size_t size = layout.pointer_size, length = 1 + 2 * size + 4, row = s->next_arc;
  size_t most = gp_reader_at_hand(s->reader) / length, done = 0;
  if (most > arcs->count - row) most = arcs->count - row;
  const unsigned char *bytes = gp_reader_peek(s->reader, most * length);
  for (; done < most; done++, row++, bytes += length)
    if (*bytes != TAG_ARC || gp_pointer(bytes + 1, layout) != arcs->from[row] ||
        gp_pointer(bytes + 1 + size, layout) != arcs->self[row] ||
        !gp_count_add(&arcs->calls[row], gp_u32(bytes + 1 + 2 * size, layout)))
      break;
  gp_reader_take(s->reader, done * length);
  s->next_arc = (uint32_t)row;
  s->data->arc_records += done;
}

static bool read_arc(source *s) {
  unsigned size = s->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(s->reader, 2 * size + 4);
  if (!bytes) return truncated(s, "the arc");
  if (!add_arc(s, gp_pointer(bytes, s->layout), gp_pointer(bytes + size, s->layout),
               gp_u32(bytes + 2 * size, s->layout)))
    return false;
  if (!gp_traces(s->data->trace, GP_TRACE_RECORDS)) add_arcs_in_order(s);
  return true;
}

static bool skip_string(source *s) {
  const unsigned char *byte;
  do
    if (!(byte = gp_reader_take(s->reader, 1))) return truncated(s, "the block counts");
  while (*byte);
  return true;
}

/* A block of version 0: count, address, file, function, line. */
static bool read_old_block(source *s) {
  const unsigned char *bytes = gp_reader_take(s->reader, 16);
  if (!bytes) return truncated(s, "the block counts");
  uint64_t executions = gp_u64(bytes, s->layout), address = gp_u64(bytes + 8, s->layout);
  if (!add_block(s, address, executions) || !skip_string(s) || !skip_string(s))
    return false;
  return gp_reader_take(s->reader, 4) || truncated(s, "the block counts");
}

static bool read_block(source *s) {
  unsigned size = s->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(s->reader, 2 * size);
  if (!bytes) return truncated(s, "the block counts");
  return add_block(s, gp_pointer(bytes, s->layout), gp_pointer(bytes + size, s->layout));
}

static bool read_blocks(source *s) {
  bool old = s->version == 0;
  const unsigned char *bytes = gp_reader_take(s->reader, 4);
  if (!bytes) return truncated(s, "the block counts");
  uint32_t count = gp_u32(bytes, s->layout);
  if (old && !skip_string(s)) return false;
  if (!gp_reader_may_hold(s->reader, count * (old ? 22 : 2 * (uint64_t)s->layout.pointer_size)))
    return gp_fail(s->error,
                   "block counts at offset %" PRIu64 " claim %" PRIu32
                   " blocks, but only %" PRIu64 " bytes follow",
                   s->record, count, s->reader->size - s->reader->offset);
  s->data->block_records++;
  GP_TRACE(s->data->trace, GP_TRACE_BLOCKS, "record at offset %" PRIu64 ": %" PRIu32 " blocks",
           s->record, count);
  for (uint32_t i = 0; i < count; i++)
    if (!(old ? read_old_block(s) : read_block(s))) return false;
  return true;
}

static bool read_record(source *s, unsigned char tag) {
  switch (tag) {
    case TAG_HISTOGRAM: return read_histogram(s);
    case TAG_ARC: return read_arc(s);
    case TAG_BLOCKS: return read_blocks(s);
    default:
      return gp_fail(s->error, "bad tag %d at offset %" PRIu64
                     ": it should be 0 (histogram), 1 (arc) or 2 (block counts)",
                     tag, s->record);
  }
}

static bool read_magic(source *s) {
  const unsigned char *bytes = gp_reader_take(s->reader, MAGIC_HEADER), *tag;
  s->version = gp_u32(bytes + 4, s->layout);
  s->data->version = s->version;
  if (s->version == VERSION_SHARED_OBJECT)
    return gp_fail(s->error, "is a shared object's profile (version 0x1ffff), not a program's");
  if (s->version > 1)
    return gp_fail(s->error, "is of version %" PRIu32 "; known are 0 and 1", s->version);
  while (s->record = s->reader->offset, (tag = gp_reader_take(s->reader, 1)) != NULL)
    if (!read_record(s, *tag)) return false;
  return !s->reader->failed;
}

/* --- the BSD formats ------------------------------------------------------- */

static bool read_bsd_arcs(source *s) {
  size_t size = s->layout.pointer_size;
  s->data->has_arcs = true;
  for (;;) {
    s->record = s->reader->offset;
    size_t left = gp_reader_available(s->reader, 3 * size);
    if (left == 0 || s->reader->failed) return !s->reader->failed;
    const unsigned char *bytes = gp_reader_take(s->reader, 3 * size);
    if (!bytes) return truncated(s, "the arc");
    if (!add_arc(s, gp_pointer(bytes, s->layout), gp_pointer(bytes + size, s->layout),
                 gp_pointer(bytes + 2 * size, s->layout)))
      return false;
  }
}

/* Reads what follows a header of `size` bytes, which claims `total` of itself and
 * the bins together. */
static bool read_bsd_body(source *s, gp_histogram *header, uint32_t total, size_t size) {
  if (total < size)
    return gp_fail(s->error, "is no profile: it does not begin with \"gmon\", and a BSD "
                   "header would claim %" PRIu32 " bytes, less than itself", total);
  if (!gp_reader_may_hold(s->reader, total - size))
    return gp_fail(s->error, "is no profile, or cut off: it does not begin with \"gmon\", and "
                   "a BSD header would claim %" PRIu32 " bytes, the file has %" PRIu64,
                   total, s->reader->size);
  header->bins = (total - size) / 2;
  strcpy(header->dimension, BSD_DIMENSION);
  header->abbreviation = BSD_ABBREVIATION;
  if (header->bins > 0 && !add_histogram(s, header)) return false;
  return read_bsd_arcs(s);
}

static bool read_bsd(source *s, bool dated) {
  size_t size = s->layout.pointer_size, length = 2 * size + (dated ? 24 : 4);
  const unsigned char *bytes = gp_reader_take(s->reader, length);
  if (!bytes) return truncated(s, "the header");
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
  s->data->format = format == GP_FORMAT_BSD && is_44bsd(s) ? GP_FORMAT_44BSD : format;
  switch (format) {
    case GP_FORMAT_MAGIC:
      if (!magic) return gp_fail(s->error, "does not begin with \"gmon\" as the magic format does");
      return read_magic(s);
    case GP_FORMAT_44BSD:
      if (!is_44bsd(s)) return gp_fail(s->error, "has not the version number of a 4.4BSD profile");
      return read_bsd(s, true);
    default:
      return read_bsd(s, s->data->format == GP_FORMAT_44BSD);
  }
}

bool gp_data_read(gp_data *data, const char *path, gp_format format, gp_error *error) {
  gp_reader reader;
  if (!gp_reader_open(&reader, path, error)) return false;
  source s = {.data = data, .reader = &reader, .error = error, .layout = data->layout};
  GP_TRACE(data->trace, GP_TRACE_RECORDS, "file %s", path);
  bool done = read_file(&s, format);
  gp_reader_close(&reader);
  return done;
}
