/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples on code that no symbol covers. */
#include "profile/unattributed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "gmon/bins.h"
#include "object/symbol_size.h"

/* How many symbols before one are asked whether they reach beyond it, as a function does
 * that has further entries. */
enum { FEW = 16 };

/* Code between the end of a symbol and the next one. */
typedef struct gap {
  uint64_t begin;     /* address of the symbol */
  gp_range range;
  uint32_t symbol;    /* the one before, by row */
} gap;

/* The padding up to the next function is mostly shorter than this, in bytes. */
#define MOST_PADDING 16

typedef struct search {
  const gp_image *image;
  const gp_symtab *symtab;
  const gp_samples *samples;
  const gp_data *data;
  gp_symbol_sizes sizes;
  uint64_t drift;     /* by how many bytes samples may seem to be too low */
  gap *gaps;          /* that have samples, ascending */
  size_t count, capacity;
} search;

/* --- samples ---------------------------------------------------------------- */

/* Ticks of one histogram in bins that lie in a range altogether: bins at its ends may be
 * those of its neighbours' code. */
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

/* Bins are of equal size by their number and the range that they are said to cover. But
 * the C library rounds their number up after it has decided on their size: the higher a
 * sample was, the lower it seems to be, by some bytes at most, and so what is sampled
 * where a function begins may seem to be of the padding before. */
static uint64_t drift_of(const gp_histogram *histogram) {
  double size = GP_PROFIL_UNIT * round(gp_histogram_scale(histogram));
  double text = (double)(histogram->high - histogram->low);
  double drift = fabs(size * (double)histogram->bins - text);
  return drift < MOST_PADDING ? (uint64_t)ceil(drift) : MOST_PADDING;
}

/* --- symbols ---------------------------------------------------------------- */

static bool has_ticks(const search *s, uint32_t row, uint32_t end) {
  for (; row < end; row++)
    if (s->samples->ticks[gp_symtab_owner(s->symtab, row)] > 0) return true;
  return false;
}

/* The index of a row's symbol among the image's, or GP_NONE. */
static uint32_t symbol_of(const search *s, uint32_t row) {
  uint32_t order = s->symtab->order[row];
  asymbol *symbol = order < s->image->symbol_count ? s->image->symbols[order] : NULL;
  bool is_there = symbol && bfd_asymbol_value(symbol) == s->symtab->address[row];
  return is_there ? order : GP_NONE;
}

/* How far the code reaches that has a size and begins a few symbols before a row. */
static uint64_t reach_of_few(search *s, uint32_t row) {
  uint64_t reach = 0;
  for (uint32_t i = 1; i <= FEW && i <= row; i++) {
    uint32_t symbol = symbol_of(s, row - i);
    uint64_t size = symbol == GP_NONE ? 0 : gp_symbol_sizes_size(&s->sizes, symbol);
    uint64_t address = s->symtab->address[row - i];
    if (size >= UINT64_MAX - address) return UINT64_MAX;
    if (address + size > reach) reach = address + size;
  }
  return reach;
}

/* Keeps the gap between the code of a row and the row `end`, if samples fell in it. */
static bool add_gap(search *s, uint32_t row, uint32_t end) {
  const gp_symtab *symtab = s->symtab;
  uint32_t symbol = symbol_of(s, row);
  gap found = {.begin = symtab->address[row], .symbol = row};
  if (symbol == GP_NONE) return true;
  found.range.low = gp_symbol_sizes_end(&s->sizes, symbol);
  found.range.high = end < symtab->count ? symtab->address[end] : symtab->text_high;
  found.range.high -= found.range.high < s->drift ? found.range.high : s->drift;
  if (ticks_in(s, found.range) == 0) return true;
  uint64_t reach = reach_of_few(s, row);
  if (reach > found.range.low) found.range.low = reach;
  if (!GP_RESERVE(&s->capacity, s->count + 1, GP_COLUMN(s->gaps))) return false;
  s->gaps[s->count++] = found;
  return true;
}

static bool find_gaps(search *s) {
  for (uint32_t row = 0, end; row < s->symtab->count; row = end) {
    end = gp_symtab_code_end(s->symtab, row);
    if (has_ticks(s, row, end) && !add_gap(s, row, end)) return false;
  }
  return true;
}

/* --- symbols that are not in the table ------------------------------------- */

static bool ends_before(const void *gaps, size_t i, uint64_t address) {
  return ((const gap *)gaps)[i].range.high <= address;
}

/* The gap of the symbol at or before an address, if that is before its end; or NULL. */
static gap *gap_at(const search *s, uint64_t address) {
  size_t i = gp_search(s->gaps, 0, s->count, address, ends_before);
  return i < s->count && s->gaps[i].begin <= address ? &s->gaps[i] : NULL;
}

/* Whether a symbol stands for code: not for a file, a section, or a kind of code. */
static bool is_of_code(const gp_image *image, asymbol *symbol) {
  flagword others = BSF_SECTION_SYM | BSF_FILE | BSF_DEBUGGING | BSF_SYNTHETIC;
  return symbol->section && symbol->section->flags & SEC_CODE &&
         !(symbol->flags & others) &&
         !bfd_is_target_special_symbol(image->file, symbol);
}

/* Takes from the gaps what symbols cover that no report knows: static ones that were left
 * out, other names of what has one. One without a size covers everything after it. */
static void take_covered(search *s) {
  for (size_t i = 0; s->count > 0 && i < s->image->symbol_count; i++) {
    asymbol *symbol = s->image->symbols[i];
    if (!is_of_code(s->image, symbol)) continue;
    uint64_t address = bfd_asymbol_value(symbol);
    gap *found = gap_at(s, address);
    if (!found) continue;
    uint64_t size = gp_symbol_sizes_size(&s->sizes, i), end = UINT64_MAX;
    if (size == 0 && address == found->begin) continue;
    if (size > 0 && size < UINT64_MAX - address) end = address + size;
    if (end > found->range.low) found->range.low = end;
  }
}

/* --- all of it -------------------------------------------------------------- */

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
  if (done) take_covered(&s);
  add_up(found, &s);
  free(s.gaps);
  found->known = done;
  return done || gp_fail_memory(error);
}
