/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of source files, each with a number. */
#include "debug/source_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static gp_key name_key(const void *columns, uint32_t row) {
  const gp_source_names *files = columns;
  return gp_text_key(files->name[row]);
}

void gp_source_names_init(gp_source_names *files) {
  memset(files, 0, sizeof *files);
  gp_hash_init(&files->index, name_key, files);
}

void gp_source_names_free(gp_source_names *files) {
  for (size_t i = 0; i < files->count; i++) free(files->name[i]);
  free(files->name);
  gp_hash_free(&files->index);
  gp_source_names_init(files);
}

static bool append(gp_source_names *files, const char *name) {
  if (!gp_make_room(&files->name, &files->capacity, files->count, sizeof *files->name))
    return false;
  char *copy = strdup(name);
  if (!copy) return false;
  files->name[files->count++] = copy;
  return true;
}

bool gp_source_names_add(gp_source_names *files, const char *name, uint32_t *number) {
  *number = gp_hash_find(&files->index, gp_text_key(name));
  if (*number != GP_NONE && strcmp(files->name[*number], name) == 0) return true;
  bool known = *number != GP_NONE;  /* the key, but not the name */
  if (!append(files, name)) return false;
  *number = (uint32_t)files->count - 1;
  return known || gp_hash_add(&files->index, *number);
}
