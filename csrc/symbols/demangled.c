/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demangled names. */
#include "symbols/demangled.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Copies a string into the store. NULL if there is no memory. */
static const char *store(gp_demangled *names, const char *text) {
  size_t size = strlen(text) + 1;
  char *place = gp_text_store_room(&names->text, size);
  return place ? memcpy(place, text, size) : NULL;
}

const char *gp_demangled_name(gp_demangled *names, const gp_image *image,
                              const gp_symtab *symtab, uint32_t symbol) {
  if (!names->name && !(names->name = gp_column(symtab->count, sizeof *names->name)))
    return NULL;
  const char **place = &names->name[symbol];
  /* cppcheck-suppress identicalInnerCondition ; tests the pointer, returns the name */
  if (*place) return *place;
  char *demangled;
  if (!gp_image_demangle(image, symtab->name[symbol], true, &demangled))
    return NULL;
  *place = demangled ? store(names, demangled)
                     : gp_image_plain_name(image, symtab->name[symbol]);
  free(demangled);
  return *place;
}

void gp_demangled_free(gp_demangled *names) {
  gp_text_store_free(&names->text);
  free(names->name);
  names->name = NULL;
}
