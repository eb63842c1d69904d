/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognizes profiles of programs whose addresses have another size or byte order. */
#include "gmon/address_size.h"

#include <string.h>

#include "gmon/gmon_format.h"

/* The bytes at the beginning of a file that are examined. Only the record after block
 * counts tells which size they have, so a file that begins with them is examined as far
 * as possible. */
enum { EXAMINED = 512 };

static size_t examined(gp_reader *reader, bool magic) {
  const unsigned char *bytes = magic ? gp_reader_peek(reader, MAGIC_HEADER + 1) : NULL;
  bool begins_with_blocks = bytes && bytes[MAGIC_HEADER] == TAG_BLOCKS;
  return gp_reader_available(reader, begins_with_blocks ? GP_READER_WINDOW : EXAMINED);
}

/* The beginning of a file, read with one of the sizes. */
typedef struct beginning {
  const unsigned char *bytes;
  uint64_t count;       /* of the bytes */
  uint64_t size;        /* of the file; UINT64_MAX if unknown */
  uint64_t at;          /* the next byte */
  gp_layout layout;
} beginning;

/* Whether 15 bytes are the name of a unit. */
static bool is_dimension(const unsigned char *bytes) {
  size_t length = strnlen((const char *)bytes, DIMENSION_SIZE);
  for (size_t i = 0; i < length; i++)
    if (bytes[i] < ' ' || bytes[i] > '~') return false;
  return length > 0;
}

/* Whether two addresses are those of a histogram with or without bins. */
static bool is_range(const beginning *b, const unsigned char *bytes, bool has_bins) {
  uint64_t low = gp_pointer(bytes, b->layout);
  uint64_t high = gp_pointer(bytes + b->layout.pointer_size, b->layout);
  return low < high || (low == high && !has_bins);
}

/* Skips `count` bytes. False if the file has fewer. */
static bool skip(beginning *b, uint64_t count) {
  if (count > b->size - b->at) return false;
  b->at += count;
  return true;
}

/* Whether `count` bytes are at hand. */
static bool has(const beginning *b, uint64_t count) {
  return b->at < b->count && count <= b->count - b->at;
}

/* The following functions skip a record or a part of one. They return false if it makes
 * no sense. */

static bool skip_histogram(beginning *b) {
  size_t header = 2 * (size_t)b->layout.pointer_size + 24;
  const unsigned char *bytes = b->bytes + b->at;
  if (!has(b, header)) return skip(b, header);
  uint32_t bins = gp_u32(bytes + header - 24, b->layout);
  return is_range(b, bytes, bins > 0) && is_dimension(bytes + header - 16) &&
         skip(b, header + 2 * (uint64_t)bins);
}

static bool skip_blocks(beginning *b) {
  if (!has(b, 4)) return skip(b, 4);
  uint32_t count = gp_u32(b->bytes + b->at, b->layout);
  return skip(b, 4 + 2 * (uint64_t)b->layout.pointer_size * count);
}

static bool skip_record(beginning *b) {
  switch (b->bytes[b->at++]) {
    case TAG_HISTOGRAM: return skip_histogram(b);
    case TAG_ARC: return skip(b, 2 * (uint64_t)b->layout.pointer_size + 4);
    case TAG_BLOCKS: return skip_blocks(b);
    default: return false;
  }
}

static bool makes_sense_magic(beginning b) {
  b.at = MAGIC_HEADER;
  uint32_t version = gp_u32(b.bytes + 4, b.layout);
  if (version == VERSION_SHARED) return skip(&b, 4) && skip_histogram(&b);
  if (version != 1) return true;  /* the blocks of version 0 have addresses of 8 bytes */
  while (b.at < b.count)
    if (!skip_record(&b)) return false;
  return true;
}

static bool is_dated(const beginning *b) {
  size_t at = 2 * (size_t)b->layout.pointer_size + 4;
  return has(b, at + 4) && gp_u32(b->bytes + at, b->layout) == VERSION_44BSD;
}

/* Whether the addresses and the size of the bins are possible. */
static bool has_bsd_header(const beginning *b) {
  size_t size = b->layout.pointer_size;
  if (!has(b, 2 * size + 4)) return false;
  uint32_t total = gp_u32(b->bytes + 2 * size, b->layout);
  return total >= 2 * size + 4 && is_range(b, b->bytes, total > 2 * size + 4);
}

/* Whether the arcs after the bins have a possible size. `unknown`: the answer if the size
 * of the file is unknown. */
static bool has_bsd_arcs(const beginning *b, bool unknown) {
  size_t size = b->layout.pointer_size;
  if (b->size == UINT64_MAX) return unknown;
  uint32_t total = gp_u32(b->bytes + 2 * size, b->layout);
  return total <= b->size && (b->size - total) % (3 * size) == 0;
}

static bool makes_sense_bsd(const beginning *b) {
  return has_bsd_header(b) && has_bsd_arcs(b, false);
}

static beginning beginning_of(gp_records *r, bool magic) {
  size_t count = examined(r->reader, magic);
  beginning result = {.bytes = gp_reader_peek(r->reader, count), .count = count,
                      .size = r->reader->size, .layout = r->layout};
  if (r->reader->size != UINT64_MAX) result.size -= r->reader->offset;
  return result;
}

bool gp_seems_other_order(gp_records *r) {
  beginning b = beginning_of(r, false);
  if (!b.bytes || is_dated(&b) || makes_sense_bsd(&b)) return false;
  b.layout.big_endian = !b.layout.big_endian;
  for (b.layout.pointer_size = 4; b.layout.pointer_size <= 8; b.layout.pointer_size += 4)
    if (is_dated(&b) || makes_sense_bsd(&b)) return true;
  return false;
}

gp_size_verdict gp_examine_address_size(gp_records *r, bool magic) {
  beginning own = beginning_of(r, magic), other = own;
  other.layout.pointer_size = own.layout.pointer_size == 8 ? 4 : 8;
  if (!own.bytes) return GP_SIZE_OWN;
  if (magic)
    return !makes_sense_magic(own) && makes_sense_magic(other) ? GP_SIZE_SEEMS_OTHER
                                                               : GP_SIZE_OWN;
  /* what is the version with the other size may be bins or arcs of an old profile */
  bool makes_sense = has_bsd_header(&own) && has_bsd_arcs(&own, true);
  if (is_dated(&own) || makes_sense) return GP_SIZE_OWN;
  if (is_dated(&other)) return GP_SIZE_OTHER;
  return makes_sense_bsd(&other) ? GP_SIZE_SEEMS_OTHER : GP_SIZE_OWN;
}
