/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names as reports show them. */
#include "shown.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/* A demangled name, or NULL. The demangler asks for memory by doubling:
 * what it did not use is given back. */
static const char *demangle(const gp_image *image, const char *name) {
  char *demangled = gp_image_demangle(image, name);
  char *fitting = demangled ? realloc(demangled, strlen(demangled) + 1) : NULL;
  return fitting ? fitting : demangled;
}

const char *gp_shown_name(gp_shown *shown, const gp_image *image, const gp_symtab *symtab,
                          uint32_t symbol) {
  if (!shown->name && !(shown->name = gp_column(symtab->count, sizeof *shown->name)))
    return NULL;
  const char **place = &shown->name[symbol];
  if (!*place) *place = demangle(image, symtab->name[symbol]);
  if (!*place) *place = gp_image_plain_name(image, symtab->name[symbol]);
  return *place;
}

/* Whether a text is a part of the symbol table's. */
static bool is_within(const char *text, const char *name) {
  return text == name || (*name != '\0' && text == name + 1);
}

void gp_shown_free(gp_shown *shown, const gp_symtab *symtab) {
  for (size_t i = 0; shown->name && i < symtab->count; i++)
    if (shown->name[i] && !is_within(shown->name[i], symtab->name[i]))
      free((void *)(uintptr_t)shown->name[i]);
  free(shown->name);
  shown->name = NULL;
}
