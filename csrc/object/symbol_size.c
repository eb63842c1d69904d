/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far symbols reach by their own account. */
#include "object/symbol_size.h"

#include <stdlib.h>
#include <string.h>

/* Names of sections are printed in front of sizes; there is none of this length in any
 * program. */
enum { LONGEST_SECTION = 100 };

bool gp_symbol_sizes_open(gp_symbol_sizes *extents, const gp_image *image) {
  extents->image = image;
  extents->stream = fmemopen(extents->text, sizeof extents->text, "w");
  return extents->stream != NULL;
}

void gp_symbol_sizes_close(gp_symbol_sizes *extents) {
  if (extents->stream) (void)fclose(extents->stream);
  extents->stream = NULL;
}

bool gp_symbol_sizes_are_known(const gp_image *image) {
  return bfd_get_flavour(image->file) == bfd_target_elf_flavour;
}

/* Has libbfd print "VALUE FLAGS SECTION\tSIZE ...". The name, which nobody needs, may be
 * as long as the file: it is none meanwhile. */
static void print(gp_symbol_sizes *extents, asymbol *symbol) {
  const char *name = symbol->name;
  memset(extents->text, 0, sizeof extents->text);
  rewind(extents->stream);
  symbol->name = "";
  bfd_print_symbol(extents->image->file, extents->stream, symbol, bfd_print_symbol_all);
  symbol->name = name;
  fflush(extents->stream);
  extents->text[sizeof extents->text - 1] = '\0';
}

uint64_t gp_symbol_sizes_size(gp_symbol_sizes *extents, asymbol *symbol) {
  const char *section = symbol->section ? symbol->section->name : NULL;
  if (symbol->flags & BSF_SYNTHETIC || !section ||
      strnlen(section, LONGEST_SECTION) == LONGEST_SECTION)
    return 0;
  print(extents, symbol);
  const char *size = strchr(extents->text, '\t');
  return size ? strtoull(size + 1, NULL, 16) : 0;
}

uint64_t gp_symbol_sizes_end(gp_symbol_sizes *extents, asymbol *symbol) {
  const asection *section = symbol->section;
  if (!section || symbol->value >= bfd_section_size(section)) return UINT64_MAX;
  uint64_t address = bfd_asymbol_value(symbol),
           size = gp_symbol_sizes_size(extents, symbol);
  if (size == 0) size = bfd_section_size(section) - symbol->value;
  return size < UINT64_MAX - address ? address + size : UINT64_MAX;
}
