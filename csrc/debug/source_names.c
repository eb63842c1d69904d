/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers for the names of source files, or of functions. */
#include "debug/source_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static gp_key name_key(const void *columns, uint32_t row) {
  return ((const gp_source_names *)columns)->key[row];
}

void gp_source_names_init(gp_source_names *names) {
  memset(names, 0, sizeof *names);
  gp_hash_init(&names->index, name_key, names);
}

void gp_source_names_free(gp_source_names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->name[i]);
  free(names->name);
  free(names->key);
  gp_hash_free(&names->index);
  gp_source_names_init(names);
}

static bool append(gp_source_names *names, const char *name, gp_key key) {
  if (!GP_RESERVE(&names->capacity, names->count + 1, GP_COLUMN(names->name),
                  GP_COLUMN(names->key)))
    return false;
  char *copy = strdup(name);
  if (!copy) return false;
  names->key[names->count] = key;
  names->name[names->count++] = copy;
  return true;
}

uint32_t gp_source_names_find(const gp_source_names *names, const char *name) {
  uint32_t number = gp_hash_find(&names->index, gp_text_key(name));
  return number != GP_NONE && strcmp(names->name[number], name) == 0 ? number : GP_NONE;
}

bool gp_source_names_add(gp_source_names *names, const char *name, uint32_t *number) {
  gp_key key = gp_text_key(name);
  *number = gp_hash_find(&names->index, key);
  if (*number != GP_NONE && strcmp(names->name[*number], name) == 0) return true;
  bool collides = *number != GP_NONE;  /* a different name has the same key */
  if (!append(names, name, key)) return false;
  *number = (uint32_t)names->count - 1;
  return collides || gp_hash_add(&names->index, *number);
}
