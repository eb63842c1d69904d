/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counts in a histogram's bins. */
#include "gmon/bins.h"

#include <string.h>

#include "base/array.h"
#include "base/count.h"

/* Bins are added in chunks of this size. The compiler vectorizes loops of constant
 * length, and chunks without samples are skipped. */
enum { CHUNK = 256 };

static const gp_layout native = {.big_endian = GP_BIG_ENDIAN};

uint64_t gp_bin(const gp_histogram *histogram, size_t bin) {
  switch (histogram->width) {
    case 2: return ((const uint16_t *)histogram->counts)[bin];
    /* false positive, clang confuses the counts that widen() frees: NOLINTNEXTLINE */
    case 4: return ((const uint32_t *)histogram->counts)[bin];
    default: return ((const uint64_t *)histogram->counts)[bin]; /* NOLINT: as above */
  }
}

/* Looks at several bins at a time, because most are empty. */
size_t gp_bins_next(const gp_histogram *histogram, size_t first) {
  const unsigned char *bytes = histogram->counts;
  size_t width = histogram->width, bins = histogram->bins, step = 8 / width;
  for (; bins - first >= step; first += step) {
    uint64_t word;
    memcpy(&word, bytes + first * width, sizeof word);
    if (word == 0) continue;
    int zeros = GP_BIG_ENDIAN ? __builtin_clzll(word) : __builtin_ctzll(word);
    return first + (unsigned)zeros / 8 / width;
  }
  while (first < bins && gp_bin(histogram, first) == 0) first++;
  return first;
}

static void set_bin(gp_histogram *histogram, size_t bin, uint64_t count) {
  switch (histogram->width) {
    case 2: ((uint16_t *)histogram->counts)[bin] = (uint16_t)count; break;
    case 4: ((uint32_t *)histogram->counts)[bin] = (uint32_t)count; break;
    default: ((uint64_t *)histogram->counts)[bin] = count;
  }
}

/* --- adding counts from a file --------------------------------------------- */

/* Returns element `i` of the native-endian counts at `bytes`, which may be unaligned. */
static inline uint16_t count_at(const unsigned char *bytes, size_t i) {
  uint16_t count;
  memcpy(&count, bytes + sizeof count * i, sizeof count);
  return count;
}

void gp_bins_set(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                 size_t count, gp_layout layout) {
  uint16_t *bins = (uint16_t *)histogram->counts + first;
  memcpy(bins, bytes, count * sizeof *bins);
  if (layout.big_endian == native.big_endian) return;
  for (size_t i = 0; i < count; i++) bins[i] = __builtin_bswap16(bins[i]);
}

/* Makes the counts wide enough for `count`. */
static bool widen(gp_histogram *histogram, uint64_t count) {
  gp_histogram wider = *histogram;
  while (wider.width < 8 && count >> (8 * wider.width)) wider.width *= 2;
  if (wider.width == histogram->width) return true;
  wider.counts = gp_column(histogram->bins, wider.width);
  if (!wider.counts) return false;
  for (size_t i = 0; i < histogram->bins; i++) set_bin(&wider, i, gp_bin(histogram, i));
  /* not a double free: NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
  free(histogram->counts);
  *histogram = wider;
  return true;
}

bool gp_bins_add_one(gp_histogram *histogram, size_t bin, uint64_t more,
                     gp_error *error) {
  uint64_t count = gp_bin(histogram, bin);
  if (!gp_count_add(&count, more))
    return gp_fail(error, "2^63 samples or more in a bin");
  if (!widen(histogram, count)) return gp_fail_memory(error);
  set_bin(histogram, bin, count);
  return true;
}

static bool is_zero(const unsigned char *bytes) {
  uint16_t any = 0;
  for (size_t i = 0; i < CHUNK; i++) any |= count_at(bytes, i);
  return any == 0;
}

/* Adds a chunk to bins of 16 bits. Returns false, with the bins unchanged, if a sum needs
 * more than 16 bits. */
static bool add_to_16(uint16_t *restrict bins, const unsigned char *restrict bytes) {
  uint16_t carry = 0;
  for (size_t i = 0; i < CHUNK; i++) {
    uint16_t old = bins[i], more = count_at(bytes, i);
    carry |= (uint16_t)((old & more) | ((old | more) & ~(old + more)));
  }
  if (carry >> 15) return false;
  for (size_t i = 0; i < CHUNK; i++) bins[i] = (uint16_t)(bins[i] + count_at(bytes, i));
  return true;
}

/* Adds a chunk to bins of 32 bits. Returns false, with the bins unchanged, if a sum might
 * need more than 32 bits. */
static bool add_to_32(uint32_t *restrict bins, const unsigned char *restrict bytes) {
  uint32_t any = 0;
  for (size_t i = 0; i < CHUNK; i++) any |= bins[i];
  if (any >= UINT32_MAX / 2) return false;
  for (size_t i = 0; i < CHUNK; i++) bins[i] += count_at(bytes, i);
  return true;
}

/* Adds a chunk of counts in native byte order. False if a bin may need widening. */
static bool add_chunk(gp_histogram *histogram, size_t first, const unsigned char *bytes) {
  switch (histogram->width) {
    case 2: return add_to_16((uint16_t *)histogram->counts + first, bytes);
    case 4: return add_to_32((uint32_t *)histogram->counts + first, bytes);
    default: return false;
  }
}

/* Adds counts one by one, and widens the bins if needed. */
static bool add_singly(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                       size_t count, gp_layout layout, gp_error *error) {
  for (size_t i = 0; i < count; i++) {
    uint16_t more = gp_u16(bytes + 2 * i, layout);
    if (more && !gp_bins_add_one(histogram, first + i, more, error)) return false;
  }
  return true;
}

bool gp_bins_add(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                 size_t count, gp_layout layout, gp_error *error) {
  bool foreign = layout.big_endian != native.big_endian;
  size_t done = 0;
  for (; count - done >= CHUNK; done += CHUNK) {
    const unsigned char *next = bytes + 2 * done;
    uint16_t swapped[CHUNK];
    if (is_zero(next)) continue;
    if (foreign) {
      for (size_t i = 0; i < CHUNK; i++)
        swapped[i] = __builtin_bswap16(count_at(next, i));
      next = (const unsigned char *)swapped;
    }
    if (!add_chunk(histogram, first + done, next) &&
        !add_singly(histogram, first + done, next, CHUNK, native, error))
      return false;
  }
  return add_singly(histogram, first + done, bytes + 2 * done, count - done, layout,
                    error);
}

/* --- counts of other sizes -------------------------------------------------- */

/* Returns count `i` as an unsigned number. */
static uint64_t wide_count(const unsigned char *bytes, size_t i, unsigned size,
                           gp_layout layout) {
  switch (size) {
    case 1: return bytes[i];
    case 2: return gp_u16(bytes + 2 * i, layout);
    case 4: return gp_u32(bytes + 4 * i, layout);
    default: return gp_u64(bytes + 8 * i, layout);
  }
}

static uint64_t maximum_of(gp_counter counter) {
  return UINT64_MAX >> (64 - 8 * counter.bytes + (counter.is_signed ? 1 : 0));
}

bool gp_bins_add_wide(gp_histogram *histogram, size_t first, const unsigned char *bytes,
                      size_t count, gp_counter counter, gp_layout layout,
                      gp_error *error) {
  for (size_t i = 0; i < count; i++) {
    uint64_t more = wide_count(bytes, i, counter.bytes, layout);
    if (more > maximum_of(counter))
      return gp_fail(error, "bin %zu of the histogram has a negative count", first + i);
    if (more && !gp_bins_add_one(histogram, first + i, more, error)) return false;
  }
  return true;
}

size_t gp_bins_full(const unsigned char *bytes, size_t count, gp_counter counter,
                    gp_layout layout) {
  uint64_t maximum = maximum_of(counter);
  size_t i = 0;
  if (counter.bytes == 2 && !counter.is_signed)  /* mostly there is none */
    for (; count - i >= CHUNK; i += CHUNK) {
      uint16_t any = 0;
      for (size_t k = 0; k < CHUNK; k++) any |= count_at(bytes, i + k) == UINT16_MAX;
      if (any) break;
    }
  while (i < count && wide_count(bytes, i, counter.bytes, layout) != maximum) i++;
  return i;
}

bool gp_bins_merge(gp_histogram *histogram, const gp_histogram *other, gp_error *error) {
  if (other->width == 2 && other != histogram)  /* same layout as in a native file */
    return gp_bins_add(histogram, 0, other->counts, other->bins, native, error);
  for (size_t bin = 0; bin < other->bins; bin++) {
    uint64_t more = gp_bin(other, bin);
    if (more && !gp_bins_add_one(histogram, bin, more, error)) return false;
  }
  return true;
}

/* Adds two chunks bin by bin. Returns the bitwise OR of the sums. */
static uint32_t bits_of_sums(const uint16_t *restrict left,
                             const uint16_t *restrict right) {
  uint32_t any = 0;
  for (size_t i = 0; i < CHUNK; i++) any |= (uint32_t)left[i] + right[i];
  return any;
}

bool gp_bins_reserve(gp_histogram *histogram, const gp_histogram *more) {
  bool narrow = histogram->width == 2 && more->width == 2;
  uint64_t any = 0;
  size_t done = 0;
  for (; narrow && histogram->bins - done >= CHUNK; done += CHUNK)
    any |= bits_of_sums((const uint16_t *)histogram->counts + done,
                        (const uint16_t *)more->counts + done);
  for (; histogram->width < 8 && done < histogram->bins; done++)
    any |= gp_bin(histogram, done) + gp_bin(more, done);
  return widen(histogram, any);
}

/* --- writing counts to a file ---------------------------------------------- */

uint64_t gp_bins_records(const gp_histogram *histogram) {
  uint64_t max = 0;
  const uint16_t *narrow = histogram->counts;
  if (histogram->width == 2) {  /* a record has room for every bin */
    for (size_t i = 0; i < histogram->bins; i++) max |= narrow[i];
    return max != 0;
  }
  for (size_t i = 0; i < histogram->bins; i++)
    if (gp_bin(histogram, i) > max) max = gp_bin(histogram, i);
  return max / GP_BIN_MAX + (max % GP_BIN_MAX != 0);
}

void gp_bins_get(const gp_histogram *histogram, size_t first, unsigned char *bytes,
                 size_t count, uint64_t record, gp_layout layout) {
  uint64_t before = record * GP_BIN_MAX;  /* capacity of the records before this one */
  if (histogram->width == 2 && record == 0 && layout.big_endian == native.big_endian) {
    memcpy(bytes, (const uint16_t *)histogram->counts + first, 2 * count);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    uint64_t all = gp_bin(histogram, first + i), left = all > before ? all - before : 0;
    gp_put_u16(bytes + 2 * i, (uint16_t)(left < GP_BIN_MAX ? left : GP_BIN_MAX), layout);
  }
}
