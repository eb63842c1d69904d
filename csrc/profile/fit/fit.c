/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fit: whether a profile was recorded by this build of the image. */
#include "profile/fit/fit.h"

#include "profile/fit/histogram_ends.h"

/* The maximum number of bytes in a prologue before its call of mcount, with many saved
 * registers and 4-byte instructions. */
#define LONG_PROLOGUE 64

enum { SAMPLE_SIZE = 64 };  /* approximate number of arcs in a sample */

/* Size of a page, for collectors that round the ends of the code to whole pages. */
#define PAGE 4096

/* Start-up code may round the start of the code down to a whole bin. */
#define BIN_BYTES 4

/* --- callees -------------------------------------------------------------------- */

uint64_t gp_entry_distance(const gp_symtab *symtab, uint64_t address) {
  uint32_t above = gp_symtab_above(symtab, address);
  if (above == 0 || address > gp_symtab_end(symtab, above - 1)) return UINT64_MAX;
  if (gp_symtab_owner(symtab, above - 1) != above - 1) return UINT64_MAX;
  return address - symtab->address[above - 1];
}

static bool is_entry(const gp_symtab *symtab, uint64_t address) {
  return gp_entry_distance(symtab, address) < LONG_PROLOGUE;
}

size_t gp_fit_sample(const gp_data *data, const gp_symtab *symtab, size_t *sampled) {
  size_t count = data->arcs.count, found = 0;
  size_t step = count / SAMPLE_SIZE + 1;
  *sampled = 0;
  for (size_t i = 0; i < count; i += step, ++*sampled)
    found += is_entry(symtab, data->arcs.self[i]);
  return found;
}

size_t gp_fit_entries(const gp_data *data, const gp_symtab *symtab, uint64_t offset) {
  size_t found = 0;
  for (size_t i = 0; i < data->arcs.count; i++)
    found += is_entry(symtab, data->arcs.self[i] - offset);
  return found;
}

/* --- the histogram -------------------------------------------------------------- */

/* Returns the range from the first to the last section with code. */
static gp_range code_of(const gp_image *image) {
  gp_range code = {image->text_low, image->text_high};
  for (asection *s = image->file->sections; s; s = s->next) {
    uint64_t low = bfd_section_vma(s), size = bfd_section_size(s);
    if (!(bfd_section_flags(s) & SEC_CODE) || size > UINT64_MAX - low) continue;
    if (low < code.low) code.low = low;
    if (low + size > code.high) code.high = low + size;
  }
  return code;
}

static bool contains(gp_range outer, gp_range inner) {
  return outer.low <= inner.low && inner.high <= outer.high;
}

/* Returns a range extended by GP_END_ROUNDING bytes at both ends. */
static gp_range rounded(gp_range range) {
  uint64_t down = range.low < GP_END_ROUNDING ? range.low : GP_END_ROUNDING;
  uint64_t room = UINT64_MAX - range.high;
  range.low -= down;
  range.high += room < GP_END_ROUNDING ? room : GP_END_ROUNDING;
  return range;
}

/* Whether a histogram has the size of the code between a start and an end. Then it is
 * from this build, loaded at any address. */
static bool has_size(gp_range histogram, const gp_histogram_ends *ends) {
  uint64_t offset;
  for (size_t l = 0; l < ends->lows; l++)
    for (size_t h = 0; h < ends->highs; h++)
      if (gp_histogram_ends_offset(histogram, ends->low[l], ends->high[h], &offset))
        return true;
  return false;
}

/* Whether a histogram begins at an address where start-up code may begin it. It should
 * then also end at an address where start-up code may end it. */
static bool starts_with_code(gp_range histogram, const gp_histogram_ends *ends) {
  for (size_t l = 0; l < ends->lows; l++)
    if (ends->low[l] - histogram.low < BIN_BYTES) return true;
  return false;
}

/* Whether start-up code would have made a different histogram. Called only if the
 * histogram extends beyond the code. */
static bool differs(gp_range histogram, gp_range text, const gp_histogram_ends *ends) {
  if (has_size(histogram, ends)) return false;
  if (histogram.high <= text.low || histogram.low >= text.high) return ends->has_end;
  if (!starts_with_code(histogram, ends)) return false;
  return histogram.high < text.high || (ends->has_end && histogram.high % PAGE != 0);
}

bool gp_fit_histogram(const gp_data *data, gp_image *image) {
  gp_range text = {image->text_low, image->text_high};
  if (data->histogram_count != 1 || data->shared) return true;
  gp_range histogram = gp_data_covered(data), code = rounded(code_of(image));
  if (contains(code, histogram)) return true;
  if (contains(rounded(histogram), text) && histogram.high <= code.high) return true;
  gp_error ignored = {""};
  gp_image_read_symbols(image, &ignored);
  gp_histogram_ends ends;
  gp_histogram_ends_find(&ends, image);
  return !differs(histogram, text, &ends);
}

/* --- stripped symbols ----------------------------------------------------------- */

bool gp_fit_lacks_locals(const gp_image *image) {
  image = gp_image_for_symbols(image, false);
  if (bfd_get_flavour(image->file) != bfd_target_elf_flavour) return false;
  for (size_t i = 0; i < image->symbol_count; i++)
    if ((image->symbols[i]->flags & (BSF_LOCAL | BSF_FUNCTION)) ==
        (BSF_LOCAL | BSF_FUNCTION))
      return false;
  return image->symbol_count > 0;
}
