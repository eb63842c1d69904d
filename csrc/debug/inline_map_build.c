/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds an inline map from an image's debugging information. */
#include "debug/inline_map_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "debug/line_program.h"
#include "debug/scopes.h"
#include "debug/source_paths.h"
#include "debug/split_file.h"

/* --- files of calls and declarations ------------------------------------------- */

/* Units that share a line table read it again. So the total length of the tables is
 * limited to this multiple of the section's size; then files are unknown. */
#define MAX_OVERLAP 8

/* Replaces numbers in a unit's table of files by numbers of names. */
static bool name_files(gp_source_paths *files, gp_line_program *program,
                       uint32_t *column, size_t rows) {
  size_t count = gp_line_program_file_count(program);
  uint32_t *number = gp_column(count, sizeof *number);
  bool done = number != NULL;
  if (done) memset(number, 0xff, count * sizeof *number);
  for (size_t row = 0; done && row < rows; row++) {
    uint32_t file = column[row];
    column[row] = GP_NONE;
    if (file >= count || file < gp_line_program_first_file(program)) continue;
    if (number[file] == GP_NONE) {
      char *name = gp_line_program_file(program, file);
      done = name && gp_source_paths_add(files, name, &number[file]);
      free(name);
    }
    column[row] = number[file];
  }
  free(number);
  return done;
}

static void forget(uint32_t *column, size_t rows) {
  for (size_t row = 0; row < rows; row++) column[row] = GP_NONE;
}

/* --- units --------------------------------------------------------------------- */

typedef struct building {
  gp_dwarf dwarf, supplementary_dwarf;
  gp_entries entries, supplementary;
  gp_range_lists lists;
  gp_function_names functions;
  gp_scopes scopes;
  gp_split_files split_files;
  gp_line_program program;
  gp_source_paths files;
  uint64_t line_budget;  /* bytes of line tables that may still be read; 0 if files are
                            not wanted */
} building;

/* Reads the scopes of a split unit, whose names are only in its file. */
static bool read_split_scopes(building *b, gp_split_file *file, uint32_t number,
                              uint32_t rank) {
  gp_function_names functions;
  gp_scope_source from = {&file->entries, &file->lists, &functions};
  gp_function_names_init(&functions, &file->entries, NULL, &b->scopes.map->names);
  bool done = gp_scopes_read(&b->scopes, &from, number, rank) &&
              !gp_dwarf_no_memory(&file->dwarf);
  gp_function_names_free(&functions);
  return done;
}

static bool read_scopes(building *b, uint32_t number) {
  gp_split_file *file;
  uint32_t split;
  const gp_unit *unit = &b->entries.unit[number];
  gp_scope_source from = {&b->entries, &b->lists, &b->functions};
  if (unit->split_file.kind == GP_VALUE_NONE)
    return gp_scopes_read(&b->scopes, &from, number, number);
  if (!gp_split_files_find(&b->split_files, unit, &file, &split)) return false;
  if (file) return read_split_scopes(b, file, split, number);
  gp_inline_gaps *gaps = &b->scopes.map->gaps;
  if (gaps->missing++ == 0)
    gaps->first_missing = gp_dwarf_string(&b->dwarf, &b->dwarf.info, &unit->layout,
                                          unit->split_file);
  return true;
}

static bool open_lines(building *b, const gp_unit *unit) {
  if (b->line_budget == 0) return false;
  bool opened = gp_line_program_open(&b->program, unit);
  uint64_t size = gp_line_program_size(&b->program);
  b->line_budget -= size < b->line_budget ? size : b->line_budget;
  return opened;
}

static bool read_unit(building *b, uint32_t number) {
  gp_inline_map *map = b->scopes.map;
  size_t first = map->count;
  if (!read_scopes(b, number)) return false;
  if (map->count == first) return true;
  uint32_t *call_file = map->call_file + first;
  size_t rows = map->count - first;
  bool split = b->entries.unit[number].split_file.kind != GP_VALUE_NONE;
  if (split) forget(map->decl_file + first, rows);  /* a row of other functions */
  if (open_lines(b, &b->entries.unit[number]))
    return name_files(&b->files, &b->program, call_file, rows);
  forget(call_file, rows);
  return true;
}

/* --- declarations --------------------------------------------------------------- */

static bool unit_before(const void *context, uint32_t later, uint32_t earlier) {
  const gp_function_names *functions = context;
  return functions->unit[later] < functions->unit[earlier];
}

/* Sets the files of the functions in rows[first] to rows[end - 1], which are declared in
 * the same unit, to numbers of names. */
static bool name_unit_files(building *b, const uint32_t *rows, size_t first, size_t end,
                            uint32_t *file) {
  uint32_t unit = b->functions.unit[rows[first]];
  for (size_t i = first; i < end; i++) file[i] = b->functions.file[rows[i]];
  if (unit == GP_NONE || !open_lines(b, &b->entries.unit[unit]))
    forget(file + first, end - first);
  else if (!name_files(&b->files, &b->program, file + first, end - first))
    return false;
  for (size_t i = first; i < end; i++) b->functions.file[rows[i]] = file[i];
  return true;
}

/* Sets where the functions of scopes are declared. The table of files of each unit is
 * read once. */
static bool set_declarations(building *b) {
  gp_inline_map *map = b->scopes.map;
  gp_function_names *functions = &b->functions;
  gp_function_names_place_members(functions);
  uint32_t *rows = gp_identity(functions->count);
  uint32_t *file = gp_column(functions->count, sizeof *file);
  bool done = rows && file && gp_sort(rows, functions->count, unit_before, functions);
  for (size_t first = 0, end = 0; done && first < functions->count; first = end) {
    while (end < functions->count &&
           functions->unit[rows[end]] == functions->unit[rows[first]])
      end++;
    done = name_unit_files(b, rows, first, end, file);
  }
  for (size_t scope = 0; done && scope < map->count; scope++) {
    uint32_t row = map->decl_file[scope];
    if (row == GP_NONE) continue;
    map->decl_file[scope] = functions->file[row];
    map->decl_line[scope] = functions->line[row];
  }
  free(rows);
  free(file);
  return done;
}

static bool read_units(building *b) {
  for (uint32_t i = 0; i < b->entries.count; i++) {
    bool met;
    if (!gp_range_lists_meet(&b->lists, &b->entries.unit[i], b->scopes.wanted,
                             b->scopes.wanted_count, &met))
      return false;
    if (met && !read_unit(b, i)) return false;
  }
  return true;
}

static bool build(building *b, gp_inline_map *map, const gp_image *image) {
  const gp_image *shared = image->supplementary;
  if (shared) gp_dwarf_open_supplementary(&b->supplementary_dwarf, shared);
  if (!gp_entries_open(&b->entries, &b->dwarf) ||
      (shared && !gp_entries_open(&b->supplementary, &b->supplementary_dwarf)))
    return false;
  gp_range_lists_init(&b->lists, &b->dwarf, image->text_low == 0);
  gp_function_names_init(&b->functions, &b->entries,
                         image->supplementary ? &b->supplementary : NULL, &map->names);
  b->scopes.map = map;
  map->gaps.damaged = b->entries.incomplete;
  gp_split_files_init(&b->split_files, image, &b->dwarf);
  gp_line_program_init(&b->program, &b->dwarf);
  gp_source_paths_init(&b->files, &map->files, false);
  if (!read_units(b)) return false;
  const char *rejected = gp_split_files_rejected(&b->split_files);
  if (rejected && !(map->gaps.rejected = strdup(rejected))) return false;
  return set_declarations(b) &&
         gp_scope_ranges_resolve(&b->scopes.ranges, b->scopes.wanted,
                                 b->scopes.wanted_count, map) &&
         !gp_dwarf_no_memory(&b->dwarf) && !gp_dwarf_no_memory(&b->supplementary_dwarf);
}

static void free_building(building *b) {
  gp_line_program_free(&b->program);
  gp_source_paths_free(&b->files);
  gp_split_files_free(&b->split_files);
  gp_scopes_free(&b->scopes);
  gp_function_names_free(&b->functions);
  gp_range_lists_free(&b->lists);
  gp_entries_free(&b->entries);
  gp_entries_free(&b->supplementary);
  gp_dwarf_free(&b->dwarf);
  gp_dwarf_free(&b->supplementary_dwarf);
}

bool gp_inline_map_build(gp_inline_map *map, const gp_image *image, bool files,
                         const gp_range *ranges, size_t count, bool *readable,
                         gp_error *error) {
  building b = {0};
  b.scopes.wanted = ranges;
  b.scopes.wanted_count = count;
  gp_inline_map_init(map);
  *readable = gp_dwarf_open(&b.dwarf, image);
  if (files) b.line_budget = MAX_OVERLAP * b.dwarf.line.size;
  bool done = !*readable || build(&b, map, image);
  free_building(&b);
  if (done) return true;
  gp_inline_map_free(map);
  return gp_fail_memory(error);
}
