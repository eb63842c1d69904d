/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visits the bins of a histogram, and the symbols in each bin. */
#include "profile/bin_walk.h"

#include "gmon/bins.h"

/* Returns one past the last two-byte unit of a symbol. With GNU gprof's policy, the last
 * line or symbol may have no samples, because GNU gprof computes its end from a symbol
 * that was removed. */
static uint64_t unit_end(const gp_symtab *symtab, uint32_t symbol) {
  if (symtab->end) return (symtab->end[symbol] + 1) / GP_PROFIL_UNIT;
  bool last_lost = symtab->last_unsampled ||
                   (symtab->lines && !symtab->policy->last_line_kept);
  if (symbol + 1 == symtab->count && last_lost)
    return symtab->address[symbol] / GP_PROFIL_UNIT;
  return symbol + 1 < symtab->count ? symtab->address[symbol + 1] / GP_PROFIL_UNIT
                                    : symtab->text_high / GP_PROFIL_UNIT;
}

void gp_bin_walk_start(gp_bin_walk *walk, const gp_histogram *histogram,
                       const gp_symtab *symtab, double scale) {
  *walk = (gp_bin_walk){.histogram = histogram, .symtab = symtab, .scale = scale,
                        .first = gp_symtab_above(symtab, histogram->low)};
  if (walk->first > 0) walk->first--;
}

bool gp_bin_walk_next(gp_bin_walk *walk) {
  const gp_histogram *histogram = walk->histogram;
  uint64_t start = histogram->low / GP_PROFIL_UNIT;
  size_t bin = gp_bins_next(histogram, walk->next);
  if (bin == histogram->bins) return false;
  walk->next = bin + 1;
  walk->count = gp_bin(histogram, bin);
  walk->low = start + (uint64_t)(walk->scale * (double)bin);
  walk->high = start + (uint64_t)(walk->scale * (double)(bin + 1));
  while (walk->first < walk->symtab->count &&
         unit_end(walk->symtab, walk->first) <= walk->low)
    walk->first++;
  walk->symbol = walk->first;
  return true;
}

bool gp_bin_walk_part(gp_bin_walk *walk, gp_bin_part *part) {
  const gp_symtab *symtab = walk->symtab;
  while (walk->symbol < symtab->count) {
    uint32_t symbol = walk->symbol++;
    uint64_t begin = symtab->address[symbol] / GP_PROFIL_UNIT;
    uint64_t end = unit_end(symtab, symbol);
    if (begin >= walk->high) break;
    if (begin < walk->low) begin = walk->low;
    if (end > walk->high) end = walk->high;
    if (begin >= end) continue;
    *part = (gp_bin_part){symbol, begin, end};
    return true;
  }
  walk->symbol = (uint32_t)symtab->count;
  return false;
}
