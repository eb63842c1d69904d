/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses that start-up code may use as the start and end of the histogram. */
#include "profile/fit/histogram_ends.h"

#include <string.h>

static void add_end(uint64_t *list, size_t *count, uint64_t address) {
  for (size_t i = 0; i < *count; i++)
    if (list[i] == address) return;
  if (*count < GP_MAX_ENDS) list[(*count)++] = address;
}

static bool is_among(const char *const *names, const char *name) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

/* Adds the address of a symbol that marks the start or the end of the code. */
static void add_symbol(gp_histogram_ends *ends, const asymbol *symbol) {
  static const char *const lows[] = {"__executable_start", "_start", "eprol", "__eprol",
                                     "_text", "_stext", NULL};
  static const char *const highs[] = {"etext", "_etext", "__etext", NULL};
  if (!symbol->name || !strchr("_e", symbol->name[0])) return;
  if (is_among(lows, symbol->name)) {
    add_end(ends->low, &ends->lows, bfd_asymbol_value(symbol));
  } else if (is_among(highs, symbol->name)) {
    add_end(ends->high, &ends->highs, bfd_asymbol_value(symbol));
    ends->has_end = true;
  }
}

void gp_histogram_ends_find(gp_histogram_ends *ends, const gp_image *image) {
  *ends = (gp_histogram_ends){.lows = 0};
  image = gp_image_for_symbols(image, false);
  add_end(ends->low, &ends->lows, image->text_low);
  add_end(ends->high, &ends->highs, image->text_high);
  for (size_t i = 0; i < image->symbol_count; i++)
    add_symbol(ends, image->symbols[i]);
}

bool gp_histogram_ends_offset(gp_range histogram, uint64_t low, uint64_t high,
                              uint64_t *offset) {
  uint64_t more = histogram.high - histogram.low - (high - low);
  if (low >= high || more >= GP_END_ROUNDING) return false;
  *offset = histogram.low - (more == 0 ? low : low & ~UINT64_C(3));
  return true;
}
