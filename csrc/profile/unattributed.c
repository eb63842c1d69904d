/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples in code that no symbol covers, and calls to it. */
#include "profile/unattributed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "gmon/bins.h"
#include "object/symbol_size.h"
#include "profile/bin_walk.h"

/* How many symbols before a gap are checked for code that extends into it. A function
 * with several entries extends beyond the symbols of the later entries. */
enum { MAX_ENTRIES = 16 };

/* Code between the end of a symbol and the start of the next one. */
typedef struct gap {
  uint64_t begin;     /* address of the symbol before the gap */
  gp_range range;     /* addresses of the gap */
  uint32_t symbol;    /* row of the symbol before the gap */
} gap;

/* Padding before a function is usually shorter than this, in bytes. */
#define MAX_PADDING 16

typedef struct search {
  const gp_image *image;
  const gp_symtab *symtab;
  const gp_samples *samples;
  const gp_data *data;
  gp_symbol_sizes sizes;
  uint64_t drift;     /* bytes by which samples may be recorded too low; see drift_of */
  gap *gaps;          /* gaps with samples, ascending */
  size_t count, capacity;
} search;

/* --- samples ---------------------------------------------------------------- */

/* Returns the ticks of one histogram in bins entirely within a range. Bins across the
 * ends of the range may belong to neighbouring code. */
static double ticks_of(const search *s, const gp_histogram *histogram, gp_range range) {
  uint64_t start = histogram->low / GP_PROFIL_UNIT;
  uint64_t low = (range.low + GP_PROFIL_UNIT - 1) / GP_PROFIL_UNIT;
  uint64_t high = range.high / GP_PROFIL_UNIT;
  double scale = s->samples->scale, bins = (double)histogram->bins, sum = 0;
  double first = low > start ? ceil((double)(low - start) / scale) : 0;
  double end = floor((double)(high - start) / scale);
  if (end > bins) end = bins;
  for (size_t i = (size_t)first; i < (size_t)end; i++)
    sum += (double)gp_bin(histogram, i);
  return sum;
}

static double ticks_in(const search *s, gp_range range) {
  double sum = 0;
  while (range.low < range.high) {
    uint32_t number = gp_data_histogram_above(s->data, range.low);
    if (number == GP_NONE) break;
    const gp_histogram *histogram = &s->data->histograms[number];
    if (histogram->low >= range.high) break;
    sum += ticks_of(s, histogram, range);
    range.low = histogram->high;
  }
  return sum;
}

/* Returns by how many bytes the recorded address of a sample may be too low. We compute
 * the size of a bin from the covered range and the number of bins. But the C library
 * rounds the number of bins up after it has chosen their size. So our bins are slightly
 * too small, and the error grows to a few bytes at the end of the code. Samples at the
 * start of a function can then appear in the padding before it. */
static uint64_t drift_of(const gp_histogram *histogram) {
  double size = GP_PROFIL_UNIT * round(gp_histogram_scale(histogram));
  double text = (double)(histogram->high - histogram->low);
  double drift = fabs(size * (double)histogram->bins - text);
  return drift < MAX_PADDING ? (uint64_t)ceil(drift) : MAX_PADDING;
}

/* --- symbols ---------------------------------------------------------------- */

/* Returns the index of a row's symbol in the image's symbol table, or GP_NONE. */
static uint32_t symbol_of(const search *s, uint32_t row) {
  uint32_t order = s->symtab->order[row];
  asymbol *symbol = order < s->image->symbol_count ? s->image->symbols[order] : NULL;
  bool same = symbol && bfd_asymbol_value(symbol) == s->symtab->address[row];
  return same ? order : GP_NONE;
}

/* Returns the highest end address, by symbol size, of the last few symbols before a
 * row. */
static uint64_t end_of_preceding(search *s, uint32_t row) {
  uint64_t end = 0;
  for (uint32_t i = 1; i <= MAX_ENTRIES && i <= row; i++) {
    uint32_t symbol = symbol_of(s, row - i);
    uint64_t size = symbol == GP_NONE ? 0 : gp_symbol_sizes_size(&s->sizes, symbol);
    uint64_t address = s->symtab->address[row - i];
    if (size >= UINT64_MAX - address) return UINT64_MAX;
    if (address + size > end) end = address + size;
  }
  return end;
}

/* Appends the gap between the code of row `row` and the start of row `end`, if the gap
 * has samples. */
static bool add_gap(search *s, uint32_t row, uint32_t end) {
  const gp_symtab *symtab = s->symtab;
  uint32_t symbol = symbol_of(s, row);
  gap found = {.begin = symtab->address[row], .symbol = row};
  if (symbol == GP_NONE) return true;
  found.range.low = gp_symbol_sizes_end(&s->sizes, symbol);
  found.range.high = gp_symtab_range(symtab, end - 1).high;
  found.range.high -= found.range.high < s->drift ? found.range.high : s->drift;
  if (ticks_in(s, found.range) == 0) return true;
  uint64_t covered = end_of_preceding(s, row);
  if (covered > found.range.low) found.range.low = covered;
  if (!GP_RESERVE(&s->capacity, s->count + 1, GP_COLUMN(s->gaps))) return false;
  s->gaps[s->count++] = found;
  return true;
}

/* Only the image itself is searched, not the libraries that follow it in the table. */
static bool find_gaps(search *s) {
  uint32_t count = (uint32_t)s->symtab->count;
  for (uint32_t row = 0, end; row < count; row = end) {
    if (gp_symtab_library(s->symtab, row)) break;
    end = gp_symtab_code_end(s->symtab, row);
    bool has_ticks = false;
    for (uint32_t part = row; !has_ticks && part < end; part++)
      has_ticks = s->samples->ticks[gp_symtab_owner(s->symtab, part)] > 0;
    if (has_ticks && !add_gap(s, row, end)) return false;
  }
  return true;
}

/* --- symbols that are not in the table ------------------------------------- */

static bool ends_before(const void *gaps, size_t i, uint64_t address) {
  return ((const gap *)gaps)[i].range.high <= address;
}

/* Shrinks the gaps by the code of symbols that are not in the table, such as omitted
 * static symbols and further names of an address. A symbol without a size covers the rest
 * of its gap. */
static void remove_covered(search *s) {
  for (size_t i = 0; s->count > 0 && i < s->image->symbol_count; i++) {
    asymbol *symbol = s->image->symbols[i];
    bool is_mapping_symbol = bfd_is_target_special_symbol(s->image->file, symbol);
    if (!gp_symbol_is_code(symbol) || is_mapping_symbol) continue;
    uint64_t address = bfd_asymbol_value(symbol);
    size_t place = gp_search(s->gaps, 0, s->count, address, ends_before);
    if (place == s->count || s->gaps[place].begin > address) continue;
    gap *found = &s->gaps[place];  /* contains the address, or follows the symbol */
    uint64_t size = gp_symbol_sizes_size(&s->sizes, i), end = UINT64_MAX;
    if (size == 0 && address == found->begin) continue;
    if (size > 0 && size < UINT64_MAX - address) end = address + size;
    if (end > found->range.low) found->range.low = end;
  }
}

/* --- sums ------------------------------------------------------------------- */

static void add_up(gp_unattributed *found, const search *s) {
  for (size_t i = 0; i < s->count; i++) {
    const gap *one = &s->gaps[i];
    double ticks = ticks_in(s, one->range);
    found->ticks += ticks;
    if (ticks <= found->most) continue;
    found->most = ticks;
    found->range = one->range;
    found->function = gp_symtab_owner(s->symtab, one->symbol);
  }
}

bool gp_unattributed_find(gp_unattributed *found, const gp_image *image,
                          const gp_symtab *symtab, const gp_samples *samples,
                          const gp_data *data, gp_error *error) {
  image = gp_image_for_symbols(image, !symtab->policy->debug_files);
  search s = {.image = image, .symtab = symtab, .samples = samples, .data = data};
  memset(found, 0, sizeof *found);
  if (!symtab->policy->unattributed_measured || symtab->sourceless ||
      data->histogram_count == 0 || !gp_symbol_sizes_open(&s.sizes, image))
    return true;
  s.drift = drift_of(&data->histograms[0]);
  bool done = find_gaps(&s);
  if (done) remove_covered(&s);
  add_up(found, &s);
  free(s.gaps);
  gp_symbol_sizes_close(&s.sizes);
  found->known = done;
  return done || gp_fail_memory(error);
}

/* --- calls ------------------------------------------------------------------ */

size_t gp_unattributed_callees(const gp_image *image, const gp_symtab *symtab,
                               const gp_data *data) {
  uint64_t low = image->text_low, high = image->text_high;
  image = gp_image_for_symbols(image, !symtab->policy->debug_files);
  search s = {.image = image, .symtab = symtab, .data = data};
  size_t count = 0;
  bool of_image = !symtab->sourceless && !symtab->objects;
  if (!of_image || !gp_symbol_sizes_open(&s.sizes, image)) return 0;
  for (size_t i = 0; i < data->arcs.count; i++) {
    uint64_t callee = data->arcs.self[i];
    if (callee < low || callee >= high) continue;
    uint32_t above = gp_symtab_above(symtab, callee);
    uint32_t symbol = above > 0 ? symbol_of(&s, above - 1) : GP_NONE;
    bool is_covered = callee < end_of_preceding(&s, above) ||
                      (symbol != GP_NONE &&
                       callee < gp_symbol_sizes_end(&s.sizes, symbol));
    count += !is_covered;
  }
  gp_symbol_sizes_close(&s.sizes);
  return count;
}
