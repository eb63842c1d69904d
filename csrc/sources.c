/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where all functions come from. */
#include "sources.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "sort.h"

/* State of one reading. */
typedef struct reading {
  gp_sources *sources;
  gp_index names;       /* files by name */
  size_t capacity;
  uint32_t *first;      /* per file: the least place in the table of its symbols */
} reading;

static gp_key file_key(const void *columns, uint32_t row) {
  const gp_sources *sources = columns;
  return gp_text_key(sources->name[row]);
}

/* The number of a file, given when it is met first. */
static bool find_or_add(reading *r, const char *name, uint32_t *file) {
  gp_sources *sources = r->sources;
  *file = gp_index_find(&r->names, gp_text_key(name));
  if (*file != GP_NONE && strcmp(sources->name[*file], name) == 0) return true;
  if (sources->files == r->capacity) {
    size_t room = gp_capacity(r->capacity, sources->files + 1);
    if (!gp_resize(&sources->name, room, sizeof *sources->name) ||
        !gp_resize(&r->first, room, sizeof *r->first))
      return false;
    r->capacity = room;
  }
  char *copy = strdup(name);
  if (!copy) return false;
  bool known = *file != GP_NONE;  /* the key, but not the name */
  *file = (uint32_t)sources->files++;
  sources->name[*file] = copy;
  r->first[*file] = GP_NONE;
  return known || gp_index_add(&r->names, *file);
}

static bool look_up(reading *r, const gp_symtab *symtab, const gp_image *image) {
  gp_sources *sources = r->sources;
  for (uint32_t s = 0; s < symtab->count; s++) {
    gp_source source;
    sources->file[s] = GP_NONE;
    if (symtab->sourceless || !gp_image_source(image, symtab->address[s], &source))
      continue;
    uint32_t file;
    if (!find_or_add(r, source.file, &file)) return false;
    sources->file[s] = file;
    sources->line[s] = source.line;
    if (symtab->order[s] < r->first[file]) r->first[file] = symtab->order[s];
  }
  return true;
}

static bool first_before(const void *context, uint32_t b, uint32_t a) {
  const uint32_t *first = context;
  return first[b] < first[a];
}

/* Numbers the files anew, in the order of the symbol table. */
static bool renumber(reading *r) {
  gp_sources *sources = r->sources;
  uint32_t *order = gp_identity(sources->files);
  uint32_t *number = gp_column(sources->files, sizeof *number);
  char **name = gp_column(sources->files, sizeof *name);
  bool done = order && number && name &&
              gp_sort(order, sources->files, first_before, r->first);
  if (done) {
    for (uint32_t i = 0; i < sources->files; i++) {
      number[order[i]] = i;
      name[i] = sources->name[order[i]];
    }
    for (size_t s = 0; s < sources->symbols; s++)
      if (sources->file[s] != GP_NONE) sources->file[s] = number[sources->file[s]];
    char **old = sources->name;
    sources->name = name;
    name = old;
  }
  free(order);
  free(number);
  free(name);
  return done;
}

/* A counting sort of the symbols by file. */
static bool group(gp_sources *sources) {
  sources->start = gp_column(sources->files + 2, sizeof *sources->start);
  sources->by_file = gp_column(sources->symbols, sizeof *sources->by_file);
  if (!sources->start || !sources->by_file) return false;
  size_t *next = sources->start + 1;  /* ends as the start of the file behind */
  for (size_t s = 0; s < sources->symbols; s++)
    if (sources->file[s] != GP_NONE) next[sources->file[s] + 1]++;
  for (size_t f = 1; f <= sources->files; f++) next[f] += next[f - 1];
  for (uint32_t s = 0; s < sources->symbols; s++)
    if (sources->file[s] != GP_NONE) sources->by_file[next[sources->file[s]]++] = s;
  return true;
}

bool gp_sources_read(gp_sources *sources, const gp_symtab *symtab, const gp_image *image,
                     gp_error *error) {
  reading r = {.sources = sources};
  memset(sources, 0, sizeof *sources);
  sources->symbols = symtab->count;
  sources->file = gp_column(symtab->count, sizeof *sources->file);
  sources->line = gp_column(symtab->count, sizeof *sources->line);
  gp_index_init(&r.names, file_key, sources);
  bool done = sources->file && sources->line && look_up(&r, symtab, image) &&
              renumber(&r) && group(sources);
  gp_index_free(&r.names);
  free(r.first);
  if (done) return true;
  gp_sources_free(sources);
  return gp_fail_memory(error);
}

/* Symbols are numbered by address. */
static bool source_before(const void *context, uint32_t b, uint32_t a) {
  const gp_sources *sources = context;
  uint32_t file_a = sources->file[a], file_b = sources->file[b];
  if (file_a == GP_NONE || file_b == GP_NONE) return b < a;
  int names = strcmp(sources->name[file_b], sources->name[file_a]);
  if (names != 0) return names < 0;
  if (sources->line[a] != sources->line[b]) return sources->line[b] < sources->line[a];
  return b < a;
}

bool gp_sources_sort(const gp_sources *sources, uint32_t *rows, size_t count) {
  return gp_sort(rows, count, source_before, sources);
}

void gp_sources_free(gp_sources *sources) {
  for (size_t i = 0; sources->name && i < sources->files; i++) free(sources->name[i]);
  free(sources->name);
  free(sources->file);
  free(sources->line);
  free(sources->start);
  free(sources->by_file);
  memset(sources, 0, sizeof *sources);
}
