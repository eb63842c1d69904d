/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes profile data to a file. */
#include "gmon/gmon_write.h"

#include <inttypes.h>
#include <string.h>

#include "base/writer.h"
#include "gmon/bins.h"
#include "gmon/gmon_format.h"

/* A damaged file or a script can claim counts that would fill the disk: they are split
 * over several records, and those of samples repeat all bins. So a file has at most this
 * many bytes, enough for 2^57 calls, and this many times the size with one record for
 * each count. At 1,000 samples per second, that is 49 days in one bin. */
#define MAX_BYTES 1e9
#define MAX_RECORDS 65536

/* A file being written. */
typedef struct sink {
  const gp_data *data;
  const gp_record_order *order;   /* NULL: the order of the data */
  gp_writer *writer;
  gp_layout layout;
} sink;

/* The row of the arc that is written at position `i`. */
static size_t nth_arc(const gp_record_order *order, size_t i) {
  return order ? order->arcs[i] : i;
}

/* The largest number that fits in `size` bytes, 4 or 8. */
static uint64_t max_of_size(size_t size) {
  return size == 8 ? UINT64_MAX : UINT32_MAX;
}

/* The largest number of calls in one arc record. */
static uint64_t max_calls(const gp_data *data, gp_format format) {
  bool narrow = format == GP_FORMAT_MAGIC || data->layout.narrow_counts;
  return max_of_size(narrow ? 4 : data->layout.pointer_size);
}

/* The number of records for a count, at least 1. `max` is the largest count that a record
 * can hold. */
static uint64_t records_of(uint64_t count, uint64_t max) {
  return count <= max ? 1 : count / max + (count % max != 0);
}

/* --- whether a format can hold the data ------------------------------------ */

static const char *format_name(gp_format format) {
  return format == GP_FORMAT_BSD ? "bsd" : format == GP_FORMAT_44BSD ? "4.4bsd" : "magic";
}

/* The number of entries in the block record. All blocks are in one record. */
static uint64_t block_entries(const gp_data *data) {
  uint64_t entries = 0, max = max_of_size(data->layout.pointer_size);
  for (size_t i = 0; i < data->blocks.count; i++)
    entries += records_of(data->blocks.executions[i], max);
  return entries;
}

/* The size of a file in bytes, nearly; `plain` if each count took only one record. These
 * are floating-point numbers because claimed counts overflow integers. */
typedef struct file_size {
  double plain, all;
} file_size;

static void add_records(file_size *size, uint64_t records, size_t bytes) {
  size->plain += (double)bytes;
  size->all += (double)records * (double)bytes;
}

static file_size size_of(const gp_data *data, gp_format format) {
  file_size size = {0, 0};
  size_t address = data->layout.pointer_size;
  uint64_t most_calls = max_calls(data, format), most = max_of_size(address);
  for (size_t i = 0; i < data->histogram_count; i++) {
    uint64_t records = gp_bins_records(&data->histograms[i]);
    size_t header = 1 + 2 * address + 8 + DIMENSION_SIZE + 1;
    add_records(&size, records > 0 ? records : 1, header + 2 * data->histograms[i].bins);
  }
  for (size_t i = 0; i < data->arcs.count; i++)
    add_records(&size, records_of(data->arcs.calls[i], most_calls), 3 * address);
  for (size_t i = 0; i < data->blocks.count; i++)
    add_records(&size, records_of(data->blocks.executions[i], most), 2 * address);
  return size;
}

/* Whether splitting large counts takes little enough space. */
static bool check_counts(const gp_data *data, gp_format format, gp_error *error) {
  file_size size = size_of(data, format);
  double limit = MAX_BYTES + MAX_RECORDS * size.plain;
  if (size.all > limit)
    return gp_fail(error, "cannot be written as %s: large counts would take %.1f GB; the "
                   "limit is %.1f GB", format_name(format), size.all / 1e9, limit / 1e9);
  return block_entries(data) <= UINT32_MAX ||
         gp_fail(error, "cannot be written: too many blocks");
}

static size_t bsd_header(const gp_data *data, gp_format format) {
  return 2 * data->layout.pointer_size + (format == GP_FORMAT_44BSD ? 24 : 4);
}

/* Whether the BSD formats can hold the histogram, if there is one. */
static bool check_bsd_histogram(const gp_data *data, gp_format format, gp_error *error) {
  const gp_histogram *histogram = data->histograms;
  const char *name = format_name(format);
  if (data->histogram_count == 0) return true;
  if (data->histogram_count > 1)
    return gp_fail(error, "cannot be written as %s, which holds one histogram: there "
                   "are %zu", name, data->histogram_count);
  if (strcmp(histogram->dimension, BSD_DIMENSION) != 0 ||
      histogram->abbreviation != BSD_ABBREVIATION)
    return gp_fail(error, "cannot be written as %s, which counts seconds only: the "
                   "histogram counts '%s' (%c)", name, histogram->dimension,
                   histogram->abbreviation);
  if (format == GP_FORMAT_BSD && histogram->rate != clock_rate())
    return gp_fail(error, "cannot be written as %s, which implies a rate of %" PRIu32
                   ": the histogram has %" PRIu32, name, clock_rate(), histogram->rate);
  if (gp_bins_records(histogram) > 1)
    return gp_fail(error, "cannot be written as %s, which holds up to %" PRIu64
                   " samples in a bin: a bin has more", name, GP_BIN_MAX);
  if (histogram->bins > (UINT32_MAX - bsd_header(data, format)) / 2)
    return gp_fail(error, "cannot be written as %s: too many bins", name);
  return true;
}

/* Whether readers would mistake the file for another format: its low address looks like
 * "gmon", or the bytes after the header of old BSD look like the version of 4.4BSD. */
static bool is_ambiguous(const gp_data *data, gp_format format,
                         const gp_record_order *order) {
  unsigned char low[8], next[2 * 2 + 8];
  const gp_histogram *histogram = data->histograms;
  size_t bins = data->histogram_count == 0 ? 0 : histogram->bins < 2 ? 1 : 2;
  gp_put_pointer(low, bins ? histogram->low : 0, data->layout);
  if (memcmp(low, MAGIC, 4) == 0) return true;
  if (format == GP_FORMAT_44BSD) return false;
  memset(next, 0, sizeof next);
  if (bins) gp_bins_get(histogram, 0, next, bins, 0, data->layout);
  if (data->arcs.count > 0)
    gp_put_pointer(next + 2 * bins, data->arcs.from[nth_arc(order, 0)],
                   data->layout);
  return gp_u32(next, data->layout) == VERSION_44BSD;
}

static bool check_bsd(const gp_data *data, gp_format format,
                      const gp_record_order *order, gp_error *error) {
  const char *name = format_name(format);
  size_t bins = data->histogram_count > 0 ? data->histograms[0].bins : 0;
  if (data->blocks.count > 0)
    return gp_fail(error, "cannot be written as %s, which cannot hold block counts",
                   name);
  if (data->shared)
    return gp_fail(error, "cannot be written as %s, which cannot hold profiles of shared "
                   "libraries", name);
  if (!check_bsd_histogram(data, format, error)) return false;
  if (is_ambiguous(data, format, order))
    return gp_fail(error, "cannot be written as %s: it would be mistaken for another "
                   "format", name);
  /* to detect the format, a reader needs enough bytes for a magic header and for the
   * version of 4.4BSD */
  size_t least = bsd_header(data, GP_FORMAT_BSD) + 4;
  if (least < MAGIC_HEADER) least = MAGIC_HEADER;
  if (data->arcs.count == 0 && bsd_header(data, format) + 2 * bins < least)
    return gp_fail(error, "cannot be written as %s: too short to be read again", name);
  return true;
}

/* --- common parts ---------------------------------------------------------- */

/* Writes the bins of histogram record number `record` (from 0); see gp_bins_get. */
static bool put_bins(sink *s, const gp_histogram *histogram, uint64_t record) {
  for (size_t done = 0, now; done < histogram->bins; done += now) {
    size_t left = histogram->bins - done;
    now = left < GP_WRITER_WINDOW / 2 ? left : GP_WRITER_WINDOW / 2;
    unsigned char *bytes = gp_writer_room(s->writer, 2 * now);
    if (!bytes) return false;
    gp_bins_get(histogram, done, bytes, now, record, s->layout);
  }
  return true;
}

/* Returns the part of a count for the next record, at most `max`; subtracts it from
 * *left. */
static uint64_t next_part(uint64_t *left, uint64_t max) {
  uint64_t part = *left < max ? *left : max;
  *left -= part;
  return part;
}

/* --- the current format ---------------------------------------------------- */

static bool put_magic_header(sink *s) {
  unsigned char *bytes = gp_writer_room(s->writer, MAGIC_HEADER);
  if (!bytes) return false;
  memset(bytes, 0, MAGIC_HEADER);
  memcpy(bytes, MAGIC, 4);  /* NOLINT(bugprone-not-null-terminated-result) */
  gp_put_u32(bytes + 4, 1, s->layout);
  gp_put_u64(bytes + CONTEXTS_ID_OFFSET, s->data->contexts_id, s->layout);
  gp_put_u32(bytes + SPREAD_OFFSET, s->data->spread_id, s->layout);
  if (!s->data->shared) return true;
  gp_put_u32(bytes + MARK_OFFSET, VERSION_SHARED, s->layout);
  gp_put_u64(bytes + LOST_OFFSET, s->data->uncounted, s->layout);
  return true;
}

static bool put_histogram(sink *s, const gp_histogram *histogram, uint64_t record) {
  size_t size = s->layout.pointer_size;
  unsigned char *bytes = gp_writer_room(s->writer, 1 + 2 * size + 8 + DIMENSION_SIZE + 1);
  if (!bytes) return false;
  *bytes++ = TAG_HISTOGRAM;
  gp_put_pointer(bytes, histogram->low, s->layout);
  gp_put_pointer(bytes + size, histogram->high, s->layout);
  bytes += 2 * size;
  gp_put_u32(bytes, (uint32_t)histogram->bins, s->layout);
  gp_put_u32(bytes + 4, histogram->rate, s->layout);
  memcpy(bytes + 8, histogram->dimension, DIMENSION_SIZE);
  bytes[8 + DIMENSION_SIZE] = (unsigned char)histogram->abbreviation;
  return put_bins(s, histogram, record);
}

static bool put_histograms(sink *s) {
  for (size_t i = 0; i < s->data->histogram_count; i++) {
    const gp_histogram *histogram = &s->data->histograms[i];
    uint64_t records = gp_bins_records(histogram), record = 0;
    do
      if (!put_histogram(s, histogram, record)) return false;
    while (++record < records);
  }
  return true;
}

static bool put_arc(sink *s, size_t arc) {
  const gp_arcs *arcs = &s->data->arcs;
  size_t size = s->layout.pointer_size;
  uint64_t left = arcs->calls[arc];
  do {
    unsigned char *bytes = gp_writer_room(s->writer, 1 + 2 * size + 4);
    if (!bytes) return false;
    *bytes++ = TAG_ARC;
    gp_put_pointer(bytes, arcs->from[arc], s->layout);
    gp_put_pointer(bytes + size, arcs->self[arc], s->layout);
    gp_put_u32(bytes + 2 * size, (uint32_t)next_part(&left, UINT32_MAX), s->layout);
  } while (left > 0);
  return true;
}

static bool put_block(sink *s, size_t block) {
  const gp_blocks *blocks = &s->data->blocks;
  size_t size = s->layout.pointer_size;
  uint64_t left = blocks->executions[block];
  do {
    unsigned char *bytes = gp_writer_room(s->writer, 2 * size);
    if (!bytes) return false;
    gp_put_pointer(bytes, blocks->address[block], s->layout);
    gp_put_pointer(bytes + size, next_part(&left, max_of_size(size)), s->layout);
  } while (left > 0);
  return true;
}

static bool put_blocks(sink *s) {
  if (s->data->blocks.count == 0) return true;
  unsigned char *bytes = gp_writer_room(s->writer, 5);
  if (!bytes) return false;
  *bytes++ = TAG_BLOCKS;
  gp_put_u32(bytes, (uint32_t)block_entries(s->data), s->layout);
  for (size_t i = 0; i < s->data->blocks.count; i++)
    if (!put_block(s, s->order ? s->order->blocks[i] : i)) return false;
  return true;
}

/* --- the BSD formats ------------------------------------------------------- */

/* Without a histogram the range is 0 to 0, and the size field counts only the header. */
static bool put_bsd_header(sink *s, gp_format format) {
  const gp_histogram *histogram =
      s->data->histogram_count > 0 ? s->data->histograms : NULL;
  size_t size = s->layout.pointer_size, length = bsd_header(s->data, format);
  unsigned char *bytes = gp_writer_room(s->writer, length);
  if (!bytes) return false;
  memset(bytes, 0, length);
  gp_put_pointer(bytes, histogram ? histogram->low : 0, s->layout);
  gp_put_pointer(bytes + size, histogram ? histogram->high : 0, s->layout);
  bytes += 2 * size;
  gp_put_u32(bytes, (uint32_t)(length + (histogram ? 2 * histogram->bins : 0)),
             s->layout);
  if (format == GP_FORMAT_44BSD) {
    gp_put_u32(bytes + 4, VERSION_44BSD, s->layout);
    gp_put_u32(bytes + 8, histogram ? histogram->rate : clock_rate(), s->layout);
  }
  return !histogram || put_bins(s, histogram, 0);
}

static bool put_bsd_arc(sink *s, size_t arc) {
  const gp_arcs *arcs = &s->data->arcs;
  size_t size = s->layout.pointer_size;
  uint64_t left = arcs->calls[arc], max = max_calls(s->data, GP_FORMAT_BSD);
  do {
    unsigned char *bytes = gp_writer_room(s->writer, 3 * size);
    if (!bytes) return false;
    gp_put_pointer(bytes, arcs->from[arc], s->layout);
    gp_put_pointer(bytes + size, arcs->self[arc], s->layout);
    gp_put_bsd_count(bytes + 2 * size, next_part(&left, max), s->layout);
  } while (left > 0);
  return true;
}

/* --- files ----------------------------------------------------------------- */

/* Whether the format can hold the data. */
static bool fits(const gp_data *data, gp_format format, const gp_record_order *order,
                 gp_error *error) {
  if (format == GP_FORMAT_PROF)
    return gp_fail(error, "cannot be written as prof: this format can only be read");
  bool bsd = format != GP_FORMAT_MAGIC;
  return (!bsd || check_bsd(data, format, order, error)) &&
         check_counts(data, format, error);
}

bool gp_data_put(const gp_data *data, gp_writer *writer, gp_format format,
                 const gp_record_order *order) {
  if (format == GP_FORMAT_AUTO) format = GP_FORMAT_MAGIC;
  sink s = {.data = data, .order = order, .writer = writer, .layout = data->layout};
  if (!fits(data, format, order, writer->error)) return false;
  bool is_magic = format == GP_FORMAT_MAGIC;
  if (!(is_magic ? put_magic_header(&s) && put_histograms(&s)
                 : put_bsd_header(&s, format)))
    return false;
  for (size_t i = 0; i < data->arcs.count; i++) {
    size_t arc = nth_arc(order, i);
    if (!(is_magic ? put_arc(&s, arc) : put_bsd_arc(&s, arc))) return false;
  }
  return !is_magic || put_blocks(&s);
}

bool gp_data_write_open(const gp_data *data, int file, gp_format format,
                        const gp_record_order *order, gp_error *error) {
  gp_writer writer;
  return gp_writer_share(&writer, file, error) &&
         gp_writer_close(&writer, gp_data_put(data, &writer, format, order));
}
