/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the code of functions ends, according to the sizes of symbols. */
#include "symbols/code_ends.h"

#include "base/array.h"
#include "object/symbol_size.h"

/* Code without a symbol is at least this long, in bytes. Shorter gaps are padding. */
enum { SHORTEST_GAP = 16 };

/* Adds the code of the image's symbol `number`. Several symbols can begin within the code
 * of one row of the table. */
static void add_symbol(uint64_t *ends, const gp_symtab *symtab, gp_symbol_sizes *sizes,
                       size_t number) {
  asymbol *symbol = sizes->image->symbols[number];
  if (!gp_symbol_is_code(symbol)) return;
  uint64_t address = bfd_asymbol_value(symbol);
  uint64_t size = gp_symbol_sizes_size(sizes, number);
  uint32_t above = gp_symtab_above(symtab, address);
  if (above == 0 || size == 0) return;
  uint64_t end = size < UINT64_MAX - address ? address + size : UINT64_MAX;
  if (end > ends[above - 1]) ends[above - 1] = end;
}

/* Lets code extend beyond later symbols, except code whose size is not known. */
static void extend(uint64_t *ends, size_t count) {
  uint64_t furthest = 0;
  for (size_t i = 0; i < count; i++) {
    if (ends[i] == 0) {
      ends[i] = UINT64_MAX;
    } else if (ends[i] < furthest) {
      ends[i] = furthest;
    } else {
      furthest = ends[i];
    }
  }
}

uint64_t *gp_code_ends(const gp_symtab *symtab, const gp_image *image) {
  uint64_t *ends = gp_column(symtab->count, sizeof *ends);
  gp_symbol_sizes sizes;
  if (!ends) return NULL;
  const gp_image *named = gp_image_for_symbols(image, !symtab->policy->debug_files);
  if (gp_symbol_sizes_open(&sizes, named)) {
    for (size_t i = 0; i < named->symbol_count; i++)
      add_symbol(ends, symtab, &sizes, i);
    gp_symbol_sizes_close(&sizes);
  }
  /* the stubs in .plt, which no symbol of the image names */
  const asection *plt = bfd_get_section_by_name(image->file, ".plt");
  uint32_t row = plt ? gp_symtab_at(symtab, bfd_section_vma(plt)) : GP_NONE;
  if (row != GP_NONE && ends[row] == 0)
    ends[row] = bfd_section_vma(plt) + bfd_section_size(plt);
  extend(ends, symtab->count);
  return ends;
}

uint64_t gp_padded_end(uint64_t end, uint64_t next) {
  if (end > next) end = next;
  return next - end < SHORTEST_GAP ? next : end;
}

uint64_t gp_code_end(const gp_symtab *symtab, const uint64_t *ends, uint32_t s,
                     uint32_t count, uint64_t high) {
  uint64_t low = symtab->address[s], limit = low < high ? high : low + 1;
  uint64_t next = s + 1 < count ? symtab->address[s + 1] : limit;
  return gp_padded_end(ends[s], next);
}
