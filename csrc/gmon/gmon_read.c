/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects the format of a profile, and reads the magic and the BSD formats. */
#include "gmon/gmon_read.h"

#include <inttypes.h>
#include <string.h>

#include "base/count.h"
#include "gmon/address_size.h"
#include "gmon/contexts/context_file.h"
#include "gmon/contexts/context_profile.h"
#include "gmon/gmon_format.h"
#include "gmon/ld_profile.h"
#include "gmon/mon_out.h"

/* --- the current format ---------------------------------------------------- */

static bool add_block(gp_records *r, uint64_t address, uint64_t executions) {
  GP_TRACE(r->trace, GP_TRACE_BLOCKS,
           "block at 0x%" PRIx64 ": %" PRIu64 " executions", address, executions);
  return gp_data_add_block(r->data, address, executions, r->offset, r->error);
}

static inline bool is_arc(const gp_arcs *arcs, size_t row, uint64_t from, uint64_t self) {
  return row < arcs->count && arcs->from[row] == from && arcs->self[row] == self;
}

/* Adds up to `limit` records that have the addresses of the next rows, or of rows one
 * further. Returns their number. Always inlined, so that the compiler can make code for a
 * constant layout. */
static inline __attribute__((always_inline)) size_t
add_next_rows(gp_arcs *arcs, const unsigned char *bytes, size_t limit, gp_layout layout) {
  size_t size = layout.pointer_size, length = 1 + 2 * size + 4, done = 0;
  size_t row = arcs->next;
  for (; done < limit && *bytes == TAG_ARC; done++, row++, bytes += length) {
    uint64_t from = gp_pointer(bytes + 1, layout);
    uint64_t self = gp_pointer(bytes + 1 + size, layout);
    size_t found = is_arc(arcs, row, from, self) ? row : row + 1;
    if (found > row && !is_arc(arcs, found, from, self)) break;
    if (!gp_count_add(&arcs->calls[found], gp_u32(bytes + 1 + 2 * size, layout))) break;
    row = found;
  }
  arcs->next = (uint32_t)row;
  return done;
}

/* Adds arcs from the reader's window as long as they have the addresses of the next rows
 * of the data. After the first file of a sum, nearly all arcs do, so they need no lookup.
 * Stops at a different arc or a count that would overflow. Arcs added here are not
 * traced. */
static void add_arcs_in_order(gp_records *r) {
  static const gp_layout native = {.big_endian = GP_BIG_ENDIAN, .pointer_size = 8};
  gp_arcs *arcs = &r->data->arcs;
  gp_layout layout = r->layout;
  size_t length = 1 + 2 * (size_t)layout.pointer_size + 4;
  size_t limit = gp_reader_at_hand(r->reader) / length;
  if (limit == 0 || arcs->next == arcs->count) return;
  const unsigned char *bytes = gp_reader_peek(r->reader, limit * length);
  bool is_native = layout.pointer_size == 8 && layout.big_endian == GP_BIG_ENDIAN;
  size_t done = is_native ? add_next_rows(arcs, bytes, limit, native)
                          : add_next_rows(arcs, bytes, limit, layout);
  gp_reader_take(r->reader, done * length);
  r->data->stats.arc_records += done;
}

/* Prepares to look up an arc that follows soon, if the next records are new arcs. */
static void prefetch_arc(gp_records *r) {
  enum { AHEAD = 8 };
  if (r->data->arcs.next < r->data->arcs.count) return;
  size_t size = r->layout.pointer_size, skipped = AHEAD * (1 + 2 * size + 4);
  if (gp_reader_at_hand(r->reader) < skipped + 1 + 2 * size) return;
  const unsigned char *bytes = gp_reader_peek(r->reader, skipped + 1 + 2 * size);
  bytes += skipped + 1;
  gp_hash_prefetch(&r->data->arcs.index, (gp_key){gp_pointer(bytes, r->layout),
                                                  gp_pointer(bytes + size, r->layout)});
}

static bool read_arc(gp_records *r) {
  size_t size = r->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(r->reader, 2 * size + 4);
  if (!bytes) return gp_records_truncated(r, "the arc");
  prefetch_arc(r);
  if (!gp_records_add_arc(r, gp_pointer(bytes, r->layout),
                         gp_pointer(bytes + size, r->layout),
                         gp_u32(bytes + 2 * size, r->layout)))
    return false;
  if (!gp_traces(r->trace, GP_TRACE_RECORDS)) add_arcs_in_order(r);
  return true;
}

static bool skip_string(gp_records *r) {
  const unsigned char *byte;
  do
    if (!(byte = gp_reader_take(r->reader, 1)))
      return gp_records_truncated(r, "the block counts");
  while (*byte);
  return true;
}

/* Version 0 stores 8-byte addresses on all machines. An address that does not fit a
 * pointer could not be written to a sum. */
static bool check_address(gp_records *r, uint64_t address) {
  unsigned size = r->layout.pointer_size;
  return size == 8 || address >> 32 == 0 ||
         gp_fail(r->error,
                 "block counts at offset %" PRIu64 " have an address, 0x%" PRIx64
                 ", that does not fit a pointer of %u bytes", r->offset, address,
                 size);
}

/* Reads a block of version 0: count, address, file, function, line. */
static bool read_old_block(gp_records *r) {
  const unsigned char *bytes = gp_reader_take(r->reader, 16);
  if (!bytes) return gp_records_truncated(r, "the block counts");
  uint64_t executions = gp_u64(bytes, r->layout), address = gp_u64(bytes + 8, r->layout);
  if (!check_address(r, address) || !add_block(r, address, executions) ||
      !skip_string(r) || !skip_string(r))
    return false;
  return gp_reader_take(r->reader, 4) || gp_records_truncated(r, "the block counts");
}

static bool read_block(gp_records *r) {
  size_t size = r->layout.pointer_size;
  const unsigned char *bytes = gp_reader_take(r->reader, 2 * size);
  if (!bytes) return gp_records_truncated(r, "the block counts");
  return add_block(r, gp_pointer(bytes, r->layout), gp_pointer(bytes + size, r->layout));
}

static bool read_blocks(gp_records *r) {
  bool old = r->kind.version == 0;
  const unsigned char *bytes = gp_reader_take(r->reader, 4);
  if (!bytes) return gp_records_truncated(r, "the block counts");
  uint32_t count = gp_u32(bytes, r->layout);
  if (old && !skip_string(r)) return false;
  if (!gp_reader_may_hold(r->reader,
                          count * (old ? 22 : 2 * (uint64_t)r->layout.pointer_size)))
    return gp_fail(r->error,
                   "block counts at offset %" PRIu64 " claim %" PRIu32
                   " blocks, but only %" PRIu64 " bytes follow",
                   r->offset, count, r->reader->size - r->reader->offset);
  r->data->stats.block_records++;
  GP_TRACE(r->trace, GP_TRACE_BLOCKS,
           "record at offset %" PRIu64 ": %" PRIu32 " blocks", r->offset, count);
  for (uint32_t i = 0; i < count; i++)
    if (!(old ? read_old_block(r) : read_block(r))) return false;
  return true;
}

static bool read_record(gp_records *r, unsigned char tag) {
  switch (tag) {
    case TAG_HISTOGRAM: return gp_records_read_histogram(r, NULL);
    case TAG_ARC: return read_arc(r);
    case TAG_BLOCKS: return read_blocks(r);
    default:
      return gp_fail(r->error, "bad tag %d at offset %" PRIu64
                     ": expected 0 (histogram), 1 (arc) or 2 (block counts)",
                     tag, r->offset);
  }
}

static bool read_records(gp_records *r) {
  const unsigned char *tag;
  while (r->offset = r->reader->offset,
         (tag = gp_reader_take(r->reader, 1)) != NULL)
    if (!read_record(r, *tag)) return false;
  return !r->reader->failed;
}

static bool fail_order(const gp_records *r) {
  return gp_fail(r->error, "is %s-endian, but the program is %s-endian",
                 r->layout.big_endian ? "little" : "big",
                 r->layout.big_endian ? "big" : "little");
}

/* Reports an unsupported version. */
static bool fail_version(const gp_records *r, uint32_t version) {
  uint32_t swapped = __builtin_bswap32(version);
  if (swapped == 1 || swapped == VERSION_SHARED) return fail_order(r);
  return gp_fail(r->error, "unsupported version %" PRIu32 ": expected 0 or 1", version);
}

static bool read_magic(gp_records *r) {
  const unsigned char *bytes = gp_reader_take(r->reader, MAGIC_HEADER);
  r->kind.version = gp_u32(bytes + 4, r->layout);
  if (r->kind.version == VERSION_SHARED) return gp_ld_profile_read(r);
  if (r->kind.version > 1) return fail_version(r, r->kind.version);
  if (gp_u32(bytes + MARK_OFFSET, r->layout) == VERSION_SHARED) {
    r->data->shared = true;  /* a summed profile of a shared library: see gmon_format.h */
    if (!gp_count_add(&r->data->uncounted, gp_u64(bytes + LOST_OFFSET, r->layout)))
      return gp_fail(r->error, "the number of uncounted calls exceeds 63 bits");
  }
  return read_records(r);
}

/* --- the BSD formats ------------------------------------------------------- */

static bool read_bsd_arcs(gp_records *r) {
  size_t size = r->layout.pointer_size;
  r->data->has_arcs = true;
  for (;;) {
    r->offset = r->reader->offset;
    size_t left = gp_reader_available(r->reader, 3 * size);
    if (left == 0 || r->reader->failed) return !r->reader->failed;
    const unsigned char *bytes = gp_reader_take(r->reader, 3 * size);
    if (!bytes) return gp_records_truncated(r, "the arc");
    if (!gp_records_add_arc(r, gp_pointer(bytes, r->layout),
                           gp_pointer(bytes + size, r->layout),
                           gp_bsd_count(bytes + 2 * size, r->layout)))
      return false;
  }
}

/* FreeBSD's name for the reserved word after the rate: the size of the bins' counters in
 * bits, negative if they are signed. Other values are old, and mean 16 bits. GNU gprof
 * ignores the word. */
static gp_counter counter_of(const gp_records *r, const unsigned char *bytes) {
  int32_t bits = (int32_t)gp_u32(bytes, r->layout);
  unsigned size = (unsigned)(bits < 0 ? -(int64_t)bits : bits);
  const gp_counter usual = {.bytes = 2};
  if (r->data->mixed_rates || (size != 8 && size != 16 && size != 32 && size != 64))
    return usual;
  return (gp_counter){.bytes = size / 8, .is_signed = bits < 0};
}

/* Sets the unit, which the file does not name. GNU gprof takes that of the histograms
 * before it, whatever it is. */
static void set_unit(const gp_records *r, gp_histogram *header) {
  const gp_data *sum = r->target ? r->target : r->data;
  const gp_histogram *first = sum->histograms;
  strcpy(header->dimension, BSD_DIMENSION);
  header->abbreviation = BSD_ABBREVIATION;
  if (!sum->mixed_rates || sum->histogram_count == 0) return;
  memcpy(header->dimension, first->dimension, sizeof header->dimension);
  header->abbreviation = first->abbreviation;
}

/* Reads the bins and arcs after a header of `size` bytes. `total` is the header's size
 * field: the size of header and bins together. */
static bool read_bsd_body(gp_records *r, gp_histogram *header, uint32_t total,
                          size_t size) {
  if (total < size)
    return gp_fail(r->error, "not a profile: does not begin with \"gmon\", and its BSD "
                   "size field is %" PRIu32 " bytes, less than the header", total);
  header->bins = (total - size) / r->counter.bytes;
  if (!gp_reader_may_hold(r->reader, (uint64_t)header->bins * r->counter.bytes))
    return gp_fail(r->error,
                   "not a profile, or truncated: does not begin with \"gmon\", and its "
                   "BSD size field is %" PRIu32 " bytes, but the file has %" PRIu64
                   " bytes", total, r->reader->size);
  set_unit(r, header);
  if (header->bins > 0 && !gp_records_add_bins(r, header)) return false;
  return read_bsd_arcs(r);
}

/* GNU gprof adds up histograms of different ranges and rates in the magic format, but is
 * stricter with BSD files. A BSD file must have the range of the first histogram, and a
 * 4.4BSD file must also have its rate. A rate of 0, which means the clock rate, also
 * counts as a different rate. */
static bool check_first(gp_records *r, const gp_histogram *header, bool dated) {
  const gp_data *sum = r->target ? r->target : r->data;
  if (!sum->mixed_rates || sum->histogram_count == 0) return true;
  const gp_histogram *first = sum->histograms;
  if (dated && header->rate != first->rate)
    return gp_fail(r->error, "has rate %" PRIu32 ", but earlier files have %" PRIu32,
                   header->rate, first->rate);
  return (header->low == first->low && header->high == first->high) ||
         gp_fail(r->error, "covers 0x%" PRIx64 " to 0x%" PRIx64 ", but the first "
                 "histogram covers 0x%" PRIx64 " to 0x%" PRIx64, header->low,
                 header->high, first->low, first->high);
}

static bool read_bsd(gp_records *r, bool dated) {
  size_t size = r->layout.pointer_size, length = 2 * size + (dated ? 24 : 4);
  const unsigned char *bytes = gp_reader_take(r->reader, length);
  if (!bytes) return gp_records_truncated(r, "the header");
  gp_histogram header = {
      .low = gp_pointer(bytes, r->layout),
      .high = gp_pointer(bytes + size, r->layout),
      .rate = dated ? gp_u32(bytes + 2 * size + 8, r->layout) : clock_rate(),
  };
  if (dated) r->counter = counter_of(r, bytes + 2 * size + 12);
  if (!check_first(r, &header, dated)) return false;
  if (header.rate == 0) header.rate = clock_rate();
  return read_bsd_body(r, &header, gp_u32(bytes + 2 * size, r->layout), length);
}

/* --- format detection ------------------------------------------------------ */

static bool is_44bsd(gp_records *r) {
  size_t offset = 2 * (size_t)r->layout.pointer_size + 4;
  const unsigned char *bytes = gp_reader_peek(r->reader, offset + 4);
  return bytes && gp_u32(bytes + offset, r->layout) == VERSION_44BSD;
}

static bool fail_address_size(const gp_records *r) {
  unsigned own = r->layout.pointer_size, other = own == 8 ? 4 : 8;
  return gp_fail(r->error, "has addresses of %u bytes, but the program has addresses "
                 "of %u bytes: name the %u-bit program that wrote it", other, own,
                 8 * other);
}

/* Reads a file whose format is known, except for the variants of BSD's. */
static bool read_known(gp_records *r, gp_format format, bool magic) {
  bool dated = format != GP_FORMAT_PROF && !magic && is_44bsd(r);
  r->kind.format = format == GP_FORMAT_BSD && dated ? GP_FORMAT_44BSD : format;
  switch (format) {
    case GP_FORMAT_MAGIC:
      if (!magic)
        return gp_fail(r->error,
                       "not in the magic format: does not begin with \"gmon\"");
      return read_magic(r);
    case GP_FORMAT_44BSD:
      if (!dated)
        return gp_fail(r->error, "lacks the version number of a 4.4BSD profile");
      return read_bsd(r, true);
    case GP_FORMAT_PROF: return gp_mon_out_read(r);
    default: return read_bsd(r, dated);
  }
}

/* Reads a file whose format is known. If that fails, and the file seems to have addresses
 * of the other size or byte order, this is the reason. */
static bool read_explained(gp_records *r, gp_format format, bool magic) {
  gp_size_verdict verdict =
      format == GP_FORMAT_PROF ? GP_SIZE_OWN : gp_examine_address_size(r, magic);
  if (verdict == GP_SIZE_OTHER) return fail_address_size(r);
  bool other_order = format != GP_FORMAT_PROF && !magic && gp_seems_other_order(r);
  if (read_known(r, format, magic)) return true;
  if (r->reader->failed) return false;
  if (verdict == GP_SIZE_SEEMS_OTHER) return fail_address_size(r);
  return other_order ? fail_order(r) : false;
}

static bool read_file(gp_records *r, gp_format format) {
  if (gp_reader_available(r->reader, 1) == 0 && !r->reader->failed)
    return gp_fail(r->error, "is empty");
  const unsigned char *header = gp_reader_peek(r->reader, MAGIC_HEADER);
  if (r->reader->failed) return false;
  size_t size = strlen(GP_CONTEXT_MAGIC);
  const unsigned char *start =
      format == GP_FORMAT_AUTO ? gp_reader_peek(r->reader, size) : NULL;
  if (start && memcmp(start, GP_CONTEXT_MAGIC, size) == 0) {
    r->kind.format = GP_FORMAT_CONTEXT;
    return gp_context_profile_read(r);
  }
  if (!header) return gp_fail(r->error, "is too short to be a profile");
  bool magic = memcmp(header, MAGIC, 4) == 0;
  if (format == GP_FORMAT_AUTO)
    format = magic ? GP_FORMAT_MAGIC : GP_FORMAT_BSD;
  /* sums of mon.out files are written in the magic format */
  if (format == GP_FORMAT_PROF && magic) format = GP_FORMAT_MAGIC;
  if (magic && format != GP_FORMAT_MAGIC)
    return gp_fail(r->error, "begins with \"gmon\": the format must be magic or auto");
  return read_explained(r, format, magic);
}

bool gp_data_read_from(gp_data *data, gp_reader *reader, const gp_read_options *options,
                       gp_file_kind *kind) {
  gp_records r = {.data = data, .target = options->target, .trace = options->trace,
                  .reader = reader, .error = reader->error, .layout = data->layout,
                  .counter = {.bytes = 2},
                  .functions = (options->target ? options->target : data)->functions};
  data->arcs.next = 0;
  bool done = read_file(&r, options->format);
  gp_records_end_range(&r);
  *kind = r.kind;
  data->stats.bytes += reader->offset;
  gp_reader_close(reader);
  return done;
}

bool gp_data_read(gp_data *data, const char *path, const gp_read_options *options,
                  gp_file_kind *kind, gp_error *error) {
  gp_reader reader;
  if (!gp_reader_open(&reader, path, error)) return false;
  GP_TRACE(options->trace, GP_TRACE_RECORDS, "file %s", path);
  return gp_data_read_from(data, &reader, options, kind);
}

bool gp_data_read_open(gp_data *data, int file, const gp_read_options *options,
                       gp_file_kind *kind, gp_error *error) {
  gp_reader reader;
  return gp_reader_share(&reader, file, error) &&
         gp_data_read_from(data, &reader, options, kind);
}
