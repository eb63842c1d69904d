/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function the code at an address is of. */
#include "namer.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "sort.h"

static bool is_lower(const void *context, uint32_t b, uint32_t a) {
  asymbol *const *symbols = context;
  return bfd_asymbol_value(symbols[b]) < bfd_asymbol_value(symbols[a]);
}

/* Appends the symbols of code, as they come. */
static void collect(gp_namer *namer) {
  const gp_image *image = namer->image;
  for (size_t i = 0; i < image->symbol_count; i++)
    if (bfd_asymbol_section(image->symbols[i]) == image->text)
      namer->few[namer->count++] = image->symbols[i];
}

static bool sort_symbols(gp_namer *namer) {
  uint32_t *order = gp_identity(namer->count);
  bool done = order && gp_sort(order, namer->count, is_lower, namer->few);
  for (size_t i = 0; done && i < namer->count; i++)
    namer->symbols[i] = namer->few[order[i]];
  free(order);
  return done;
}

bool gp_namer_init(gp_namer *namer, const gp_image *image, gp_error *error) {
  *namer = (gp_namer){.image = image};
  namer->symbols = gp_column(image->symbol_count + 1, sizeof *namer->symbols);
  namer->few = gp_column(image->symbol_count + 1, sizeof *namer->few);
  if (namer->symbols && namer->few) {
    collect(namer);
    if (sort_symbols(namer)) return true;
  }
  gp_namer_free(namer);
  return gp_fail_memory(error);
}

void gp_namer_free(gp_namer *namer) {
  free(namer->symbols);
  free(namer->few);
  memset(namer, 0, sizeof *namer);
}

/* The number of symbols at or below an address. */
static size_t count_to(const gp_namer *namer, uint64_t address) {
  size_t low = 0, high = namer->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (bfd_asymbol_value(namer->symbols[middle]) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Picks the last function at or below the address, and what lies between. */
static void pick_few(gp_namer *namer, uint64_t address) {
  size_t end = count_to(namer, address), first = end;
  while (first > 0 && !(namer->symbols[first - 1]->flags & BSF_FUNCTION)) first--;
  uint64_t start = first > 0 ? bfd_asymbol_value(namer->symbols[first - 1]) : 0;
  while (first > 0 && bfd_asymbol_value(namer->symbols[first - 1]) == start) first--;
  size_t count = end - first;
  if (count > 0) memcpy(namer->few, namer->symbols + first, count * sizeof *namer->few);
  namer->few[count] = NULL;
}

const char *gp_namer_at(gp_namer *namer, uint64_t address) {
  const gp_image *image = namer->image;
  const char *file = NULL, *function = NULL;
  unsigned line = 0;
  pick_few(namer, address);
  bool found = bfd_find_nearest_line(image->file, image->text, namer->few,
                                     address - image->text_low, &file, &function, &line);
  return found && file && line ? function : NULL;
}
