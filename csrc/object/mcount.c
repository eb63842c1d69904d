/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a shared library was compiled with -pg. */
#include "object/mcount.h"

#include <stdlib.h>
#include <string.h>

/* Functions that compiled code calls at function entries: the usual names, then the names
 * with -mfentry on x86 and on 32-bit ARM. */
static const char *const names[] = {"mcount",  "_mcount",    "__mcount",
                                    ".mcount", "__fentry__", "__gnu_mcount_nc"};

/* libbfd appends a version to names of dynamic symbols: "mcount@GLIBC_2.2.5". */
static bool is_mcount(const gp_image *image, const char *name) {
  name = gp_image_plain_name(image, name);
  size_t length = strcspn(name, "@");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == length && memcmp(name, names[i], length) == 0) return true;
  return false;
}

static bool has_import(const gp_image *image, asymbol *const *symbols, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bfd_is_und_section(symbols[i]->section) &&
        is_mcount(image, bfd_asymbol_name(symbols[i])))
      return true;
  return false;
}

static bool has_dynamic_import(const gp_image *image) {
  long room = bfd_get_dynamic_symtab_upper_bound(image->file);
  if (room <= 0) return false;
  asymbol **symbols = malloc((size_t)room);
  if (!symbols) return true;
  long count = bfd_canonicalize_dynamic_symtab(image->file, symbols);
  bool found = count > 0 && has_import(image, symbols, (size_t)count);
  free(symbols);
  return found;
}

bool gp_imports_mcount(const gp_image *image) {
  const gp_image *from = gp_image_for_symbols(image, false);
  return has_dynamic_import(image) ||
         has_import(image, from->symbols, from->symbol_count);
}
