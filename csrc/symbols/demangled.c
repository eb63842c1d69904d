/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demangled names. */
#include "symbols/demangled.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Storage for demangled names, concatenated. */
struct gp_demangled_block {
  struct gp_demangled_block *older;
  size_t used, room;
  char text[];
};

enum { BLOCK = 16384 };  /* bytes; a longer name gets its own block */

/* Copies a string into the blocks. NULL if there is no memory. */
static const char *store(gp_demangled *names, const char *text) {
  struct gp_demangled_block *block = names->newest;
  size_t size = strlen(text) + 1;
  if (!block || block->room - block->used < size) {
    size_t room = size > BLOCK ? size : BLOCK;
    block = malloc(sizeof *block + room);
    if (!block) return NULL;
    block->older = names->newest;
    block->used = 0;
    block->room = room;
    names->newest = block;
  }
  char *copy = memcpy(block->text + block->used, text, size);
  block->used += size;
  return copy;
}

const char *gp_demangled_name(gp_demangled *names, const gp_image *image,
                              const gp_symtab *symtab, uint32_t symbol) {
  if (!names->name && !(names->name = gp_column(symtab->count, sizeof *names->name)))
    return NULL;
  const char **place = &names->name[symbol];
  /* cppcheck-suppress identicalInnerCondition ; tests the pointer, returns the name */
  if (*place) return *place;
  char *demangled = gp_image_demangle(image, symtab->name[symbol]);
  *place = demangled ? store(names, demangled)
                     : gp_image_plain_name(image, symtab->name[symbol]);
  free(demangled);
  return *place;
}

void gp_demangled_free(gp_demangled *names) {
  for (struct gp_demangled_block *block = names->newest, *older; block; block = older) {
    older = block->older;
    free(block);
  }
  free(names->name);
  *names = (gp_demangled){NULL, NULL};
}
