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

/* Returns room for a string in the blocks. NULL if there is no memory. */
static char *reserve(gp_demangled *names, size_t size) {
  struct gp_demangled_block *block = names->newest;
  if (!block || block->room - block->used < size) {
    size_t room = size > BLOCK ? size : BLOCK;
    block = malloc(sizeof *block + room);
    if (!block) return NULL;
    block->older = names->newest;
    block->used = 0;
    block->room = room;
    names->newest = block;
  }
  char *place = block->text + block->used;
  block->used += size;
  return place;
}

/* Copies a string into the blocks. NULL if there is no memory. */
static const char *store(gp_demangled *names, const char *text) {
  size_t size = strlen(text) + 1;
  char *place = reserve(names, size);
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
  for (struct gp_demangled_block *block = names->newest, *older; block; block = older) {
    older = block->older;
    free(block);
  }
  free(names->name);
  *names = (gp_demangled){.newest = NULL};
}
