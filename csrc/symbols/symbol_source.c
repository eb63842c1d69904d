/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source file and line of every symbol. */
#include "symbols/symbol_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "debug/line_map_build.h"

static bool first_before(const void *context, uint32_t b, uint32_t a) {
  const uint32_t *first = context;
  return first[b] < first[a];
}

/* Returns the symbols in the order of the image's symbol table. */
static uint32_t *in_table_order(const gp_symtab *symtab) {
  uint32_t *symbols = gp_identity(symtab->count);
  if (symbols && gp_sort(symbols, symtab->count, first_before, symtab->order))
    return symbols;
  free(symbols);
  return NULL;
}

/* Builds a line map of the first address of each wanted symbol. The symbols of libraries,
 * which follow those of the program, have no known source; neither have those of inlined
 * code, which come last. */
static bool read_entries(gp_line_map *map, const gp_symtab *symtab, const gp_image *image,
                         const bool *wanted, gp_error *error) {
  gp_range *entries = gp_column(symtab->count, sizeof *entries);
  size_t count = 0;
  if (!entries) return gp_fail_memory(error);
  for (uint32_t s = 0; s < symtab->count && !gp_symtab_library(symtab, s) &&
                       !gp_symtab_is_inlined(symtab, s); s++)
    if (!wanted || wanted[s])
      entries[count++] = (gp_range){symtab->address[s], symtab->address[s] + 1};
  const gp_policy *policy = symtab->policy;
  image = gp_image_for_lines(image, !policy->debug_files);
  bool done = gp_line_map_build(map, image, !policy->exact_lines, entries, count,
                                error);
  free(entries);
  return done;
}

/* Where sources are looked up: in the symbol table's own columns, or in a map of the
 * symbols' first addresses. */
typedef struct lookup {
  const gp_symtab *symtab;
  const gp_line_map *map;
  const gp_source_names *files;    /* the source files of the table or map */
  uint32_t *number;         /* for each file in `files`: its number in gp_symbol_sources,
                               or GP_NONE if not yet assigned */
} lookup;

/* Returns the number of a symbol's file in `l->files`, or GP_NONE. Sets `*line` to the
 * symbol's line. */
static uint32_t look_up(const lookup *l, uint32_t symbol, uint32_t *line) {
  if (l->symtab->lines) {
    *line = l->symtab->lines->line[symbol];
    return l->symtab->lines->file[symbol];
  }
  if (gp_symtab_library(l->symtab, symbol) || gp_symtab_is_inlined(l->symtab, symbol))
    return GP_NONE;
  uint32_t row = gp_line_map_find(l->map, l->symtab->address[symbol]);
  if (row == GP_NONE) return GP_NONE;
  /* a found row exists: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
  *line = l->map->line[row];
  return l->map->file[row];
}

/* Numbers files in the order in which the image's symbol table first refers to them. */
static bool look_up_all(gp_symbol_sources *sources, const lookup *l) {
  uint32_t *symbols = in_table_order(l->symtab);
  bool done = symbols != NULL;
  for (size_t i = 0; done && i < l->symtab->count; i++) {
    uint32_t s = symbols[i], file = look_up(l, s, &sources->line[s]);
    sources->file[s] = GP_NONE;
    if (file == GP_NONE) continue;
    if (l->number[file] == GP_NONE)
      done = gp_source_names_add(&sources->files, l->files->name[file], &l->number[file]);
    sources->file[s] = l->number[file];
  }
  free(symbols);
  return done;
}

/* Adds where functions are declared that were only inlined. */
static bool add_inlined(gp_symbol_sources *sources, const gp_symtab *symtab) {
  const gp_symtab_inlining *inlining = symtab->inlining;
  for (size_t s = inlining ? inlining->first : symtab->count; s < symtab->count; s++) {
    uint32_t scope = inlining->scope[s - inlining->first];
    uint32_t file = inlining->map.decl_file[scope];
    if (file == GP_NONE || gp_symtab_owner(symtab, (uint32_t)s) != s) continue;
    if (!gp_source_names_add(&sources->files, inlining->map.files.name[file],
                             &sources->file[s]))
      return false;
    sources->line[s] = inlining->map.decl_line[scope];
  }
  return true;
}

static bool look_up_in(gp_symbol_sources *sources, const gp_symtab *symtab,
                       const gp_line_map *map) {
  const gp_source_names *files = symtab->lines ? &symtab->lines->files : &map->names;
  lookup l = {symtab, map, files, gp_column(files->count, sizeof *l.number)};
  if (!l.number) return false;
  memset(l.number, 0xff, files->count * sizeof *l.number);
  bool done = look_up_all(sources, &l);
  free(l.number);
  return done;
}

/* Groups symbols by file with a counting sort, which keeps address order within a
 * file. */
static bool group(gp_symbol_sources *sources) {
  sources->start = gp_column(sources->files.count + 2, sizeof *sources->start);
  sources->by_file = gp_column(sources->symbols, sizeof *sources->by_file);
  if (!sources->start || !sources->by_file) return false;
  size_t *next = sources->start + 1;  /* next free row of each file; finally its end */
  for (size_t s = 0; s < sources->symbols; s++)
    if (sources->file[s] != GP_NONE) next[sources->file[s] + 1]++;
  for (size_t f = 1; f <= sources->files.count; f++) next[f] += next[f - 1];
  for (uint32_t s = 0; s < sources->symbols; s++)
    if (sources->file[s] != GP_NONE) sources->by_file[next[sources->file[s]]++] = s;
  return true;
}

bool gp_symbol_sources_read(gp_symbol_sources *sources, const gp_symtab *symtab,
                            const gp_image *image, const bool *wanted, gp_error *error) {
  memset(sources, 0, sizeof *sources);
  gp_source_names_init(&sources->files);
  sources->symbols = symtab->count;
  sources->file = gp_column(symtab->count, sizeof *sources->file);
  sources->line = gp_column(symtab->count, sizeof *sources->line);
  gp_line_map map = {0};
  bool known = symtab->sourceless || symtab->lines;
  bool done = sources->file && sources->line &&
              (known || read_entries(&map, symtab, image, wanted, error)) &&
              look_up_in(sources, symtab, &map) && add_inlined(sources, symtab) &&
              group(sources);
  gp_line_map_free(&map);
  if (done) return true;
  gp_symbol_sources_free(sources);
  return gp_fail_memory(error);
}

/* Symbol numbers are in address order. */
static bool source_before(const void *context, uint32_t b, uint32_t a) {
  const gp_symbol_sources *sources = context;
  uint32_t file_a = sources->file[a], file_b = sources->file[b];
  if (file_a == GP_NONE || file_b == GP_NONE) return b < a;
  int names = strcmp(sources->files.name[file_b], sources->files.name[file_a]);
  if (names != 0) return names < 0;
  if (sources->line[a] != sources->line[b]) return sources->line[b] < sources->line[a];
  return b < a;
}

bool gp_symbol_sources_sort(const gp_symbol_sources *sources, uint32_t *rows,
                            size_t count) {
  return gp_sort(rows, count, source_before, sources);
}

void gp_symbol_sources_free(gp_symbol_sources *sources) {
  gp_source_names_free(&sources->files);
  free(sources->file);
  free(sources->line);
  free(sources->start);
  free(sources->by_file);
  memset(sources, 0, sizeof *sources);
}
