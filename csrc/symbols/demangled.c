/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names as reports show them. */
#include "symbols/demangled.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Names that were demangled, one behind the other. */
struct gp_demangled_block {
  struct gp_demangled_block *older;
  size_t used, room;
  char text[];
};

enum { BLOCK = 16384 };  /* bytes; a longer name has a block of its own */

/* A copy of a text that lasts as long as the names, or NULL. */
static const char *keep(gp_demangled *shown, const char *text) {
  struct gp_demangled_block *block = shown->newest;
  size_t size = strlen(text) + 1;
  if (!block || block->room - block->used < size) {
    size_t room = size > BLOCK ? size : BLOCK;
    block = malloc(sizeof *block + room);
    if (!block) return NULL;
    block->older = shown->newest;
    block->used = 0;
    block->room = room;
    shown->newest = block;
  }
  char *copy = memcpy(block->text + block->used, text, size);
  block->used += size;
  return copy;
}

const char *gp_demangled_name(gp_demangled *shown, const gp_image *image,
                              const gp_symtab *symtab, uint32_t symbol) {
  if (!shown->name && !(shown->name = gp_column(symtab->count, sizeof *shown->name)))
    return NULL;
  const char **place = &shown->name[symbol];
  /* cppcheck-suppress identicalInnerCondition ; the name, not whether there is one */
  if (*place) return *place;
  char *demangled = gp_image_demangle(image, symtab->name[symbol]);
  *place = demangled ? keep(shown, demangled)
                     : gp_image_plain_name(image, symtab->name[symbol]);
  free(demangled);
  return *place;
}

void gp_demangled_free(gp_demangled *shown) {
  for (struct gp_demangled_block *block = shown->newest, *older; block; block = older) {
    older = block->older;
    free(block);
  }
  free(shown->name);
  *shown = (gp_demangled){NULL, NULL};
}
