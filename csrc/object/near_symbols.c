/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbols near an address. */
#include "object/near_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"

static bool is_lower(const void *context, uint32_t b, uint32_t a) {
  asymbol *const *symbols = context;
  return bfd_asymbol_value(symbols[b]) < bfd_asymbol_value(symbols[a]);
}

/* Fills near->symbols in their order. */
static bool sort_symbols(gp_near_symbols *near, asymbol *const *symbols) {
  uint32_t *order = gp_identity(near->count);
  bool done = order && gp_sort(order, near->count, is_lower, symbols);
  for (size_t i = 0; done && i < near->count; i++) near->symbols[i] = symbols[order[i]];
  free(order);
  return done;
}

bool gp_near_symbols_init(gp_near_symbols *near, asymbol **symbols, size_t count,
                          const asection *section) {
  *near = (gp_near_symbols){0};
  asymbol **own = gp_column(count, sizeof *own);  /* of the section */
  near->symbols = gp_column(count, sizeof *near->symbols);
  bool done = near->symbols && own;
  for (size_t i = 0; done && i < count; i++)
    if (bfd_asymbol_section(symbols[i]) == section) own[near->count++] = symbols[i];
  done = done && sort_symbols(near, own);
  free(own);
  if (!done) gp_near_symbols_free(near);
  return done;
}

void gp_near_symbols_free(gp_near_symbols *near) {
  free(near->symbols);
  memset(near, 0, sizeof *near);
}

static bool is_up_to(const void *symbols, size_t row, uint64_t address) {
  return bfd_asymbol_value(((asymbol *const *)symbols)[row]) <= address;
}

/* The number of symbols at or below `address`. */
static size_t count_to(const gp_near_symbols *near, uint64_t address) {
  return gp_search(near->symbols, 0, near->count, address, is_up_to);
}

/* Returns the first symbol at the address of the last function before row `end`. */
static size_t find_first(const gp_near_symbols *near, size_t end) {
  asymbol **symbols = near->symbols;
  size_t first = end, least = end < GP_NEAR_LABELS ? 0 : end - GP_NEAR_LABELS;
  while (first > least && !(symbols[first - 1]->flags & BSF_FUNCTION)) first--;
  if (first == 0) return 0;
  uint64_t start = bfd_asymbol_value(symbols[first - 1]);
  return start == 0 ? 0 : count_to(near, start - 1);
}

/* Copies the symbols in rows `first` to `end` - 1 to near->found, ended by a NULL. Copies
 * at most the first GP_NEAR_AT_ADDRESS symbols at one address. */
static void copy_symbols(gp_near_symbols *near, size_t first, size_t end) {
  size_t found = 0, same = 0;
  for (size_t i = first; i < end; i++) {
    asymbol *symbol = near->symbols[i];
    bool is_new = i == first || bfd_asymbol_value(symbol) !=
                                    bfd_asymbol_value(near->symbols[i - 1]);
    same = is_new ? 1 : same + 1;
    if (same <= GP_NEAR_AT_ADDRESS) near->found[found++] = symbol;
  }
  near->found[found] = NULL;
}

/* Addresses are mostly looked up in ascending order, so the last result is often
 * valid. */
asymbol **gp_near_symbols_find(gp_near_symbols *near, uint64_t address) {
  if (near->low <= address && address < near->high) return near->found;
  asymbol **symbols = near->symbols;
  size_t end = count_to(near, address);
  copy_symbols(near, find_first(near, end), end);
  near->low = end > 0 ? bfd_asymbol_value(symbols[end - 1]) : 0;
  near->high = end < near->count ? bfd_asymbol_value(symbols[end]) : UINT64_MAX;
  return near->found;
}
