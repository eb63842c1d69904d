/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbols near an address. */
#include "object/near_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"

/* So many labels at most lie between a function and an address: where nothing is typed as
 * a function, the search would go back to the first symbol every time. */
#define MOST_LABELS ((size_t)64)

static bool is_lower(const void *context, uint32_t b, uint32_t a) {
  asymbol *const *symbols = context;
  return bfd_asymbol_value(symbols[b]) < bfd_asymbol_value(symbols[a]);
}

static bool sort_symbols(gp_near_symbols *nearby) {
  uint32_t *order = gp_identity(nearby->count);
  bool done = order && gp_sort(order, nearby->count, is_lower, nearby->few);
  for (size_t i = 0; done && i < nearby->count; i++)
    nearby->symbols[i] = nearby->few[order[i]];
  free(order);
  return done;
}

bool gp_near_symbols_init(gp_near_symbols *nearby, asymbol **symbols, size_t count,
                          const asection *section) {
  *nearby = (gp_near_symbols){0};
  nearby->symbols = gp_column(count, sizeof *nearby->symbols);
  nearby->few = gp_column(count + 1, sizeof *nearby->few);
  bool done = nearby->symbols && nearby->few;
  for (size_t i = 0; done && i < count; i++)
    if (bfd_asymbol_section(symbols[i]) == section)
      nearby->few[nearby->count++] = symbols[i];
  if (done && sort_symbols(nearby)) return true;
  gp_near_symbols_free(nearby);
  return false;
}

void gp_near_symbols_free(gp_near_symbols *nearby) {
  free(nearby->symbols);
  free(nearby->few);
  memset(nearby, 0, sizeof *nearby);
}

static bool is_up_to(const void *symbols, size_t row, uint64_t address) {
  return bfd_asymbol_value(((asymbol *const *)symbols)[row]) <= address;
}

/* The number of symbols at or below an address. */
static size_t count_to(const gp_near_symbols *nearby, uint64_t address) {
  return gp_search(nearby->symbols, 0, nearby->count, address, is_up_to);
}

/* The first symbol at the address of the last function in front of `end`. */
static size_t find_first(const gp_near_symbols *nearby, size_t end) {
  asymbol **symbols = nearby->symbols;
  size_t first = end, least = end < MOST_LABELS ? 0 : end - MOST_LABELS;
  while (first > least && !(symbols[first - 1]->flags & BSF_FUNCTION)) first--;
  uint64_t start = first > 0 ? bfd_asymbol_value(symbols[first - 1]) : 0;
  while (first > 0 && bfd_asymbol_value(symbols[first - 1]) == start) first--;
  return first;
}

/* Mostly an address is asked for after the one in front of it. */
asymbol **gp_near_symbols_find(gp_near_symbols *nearby, uint64_t address) {
  if (nearby->low <= address && address < nearby->high) return nearby->few;
  asymbol **symbols = nearby->symbols;
  size_t end = count_to(nearby, address), first = find_first(nearby, end);
  if (end > first) memcpy(nearby->few, symbols + first, (end - first) * sizeof *symbols);
  nearby->few[end - first] = NULL;
  nearby->low = end > 0 ? bfd_asymbol_value(symbols[end - 1]) : 0;
  nearby->high = end < nearby->count ? bfd_asymbol_value(symbols[end]) : UINT64_MAX;
  return nearby->few;
}
