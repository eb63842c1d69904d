/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol table of a profile by line. */
#include "profile/line_symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "debug/inline_map_build.h"
#include "debug/line_map_build.h"
#include "gmon/recorded_ranges.h"

/* A source location. A symbol begins wherever the location changes. */
typedef struct place {
  uint32_t file, line;    /* `file` is GP_NONE if unknown */
  const char *function;   /* NULL if not looked up */
  uint32_t scope;         /* in the chains of inlined functions; GP_NONE if these are not
                             requested */
} place;

/* A table by line being built. */
typedef struct building {
  const gp_symtab *functions;
  const gp_image *image;
  const gp_line_symtab_options *options;
  gp_symtab *symtab;      /* the table by line */
  gp_symtab_lines *lines; /* the additional columns of `symtab` */
  size_t capacity;
  gp_line_map map;
  bool inlines_known;     /* lines->chains is used; otherwise libbfd is asked */
  gp_recorded_ranges recorded;
  uint32_t *row;          /* for each function: its row in the table by line */
  uint32_t next_order;    /* `order` of the next line: higher than any in the image's
                             table */
  place last;             /* location of the preceding code with a known source */
  uint32_t typed;         /* last symbol so far that is typed as a function, or GP_NONE */
} building;

/* --- which lines are looked up ------------------------------------------------ */

/* Returns the code from a function to the next one, clipped to the image's code; it may
 * be empty. Code at the start of .text may belong to a function that begins before it. */
static gp_range code_of(const building *b, uint32_t function) {
  const gp_symtab *functions = b->functions;
  gp_range all = {b->image->text_low, b->image->text_high};
  if (functions->policy->all_sections) all = b->image->code;
  uint64_t low = functions->address[function], high = all.high;
  if (function + 1 < functions->count && functions->address[function + 1] < high)
    high = functions->address[function + 1];
  if (low < all.low) low = all.low;
  return (gp_range){low, low < high ? high : low};
}

/* Appends the ranges of a function in which to look up lines: its entry, and all of its
 * code if anything was recorded there or all lines are requested. */
static size_t add_wanted(const building *b, uint32_t function, gp_range *wanted,
                         size_t count) {
  uint64_t entry = b->functions->address[function];
  gp_range code = code_of(b, function);
  bool whole = b->options->all || gp_recorded_ranges_in(&b->recorded, code);
  if (!whole || entry < code.low || entry >= code.high)
    wanted[count++] = (gp_range){entry, entry + 1};
  if (whole && code.low < code.high) wanted[count++] = code;
  return count;
}

static bool read_map(building *b, gp_error *error) {
  size_t count = 0;
  gp_range *wanted = gp_column(b->functions->count, 2 * sizeof *wanted);
  if (!wanted) return gp_fail_memory(error);
  for (uint32_t f = 0; f < b->functions->count; f++)
    count = add_wanted(b, f, wanted, count);
  bool as_libbfd = !b->symtab->policy->exact_lines;
  bool done = gp_line_map_build(&b->map, b->image, as_libbfd, wanted, count, error);
  free(wanted);
  return done;
}

/* Reads the functions of the code in which lines have names of functions. */
static bool read_inlines(building *b, gp_error *error) {
  size_t count = 0;
  if (!b->symtab->policy->exact_inlining) return true;
  gp_range *wanted = gp_column(b->functions->count, sizeof *wanted);
  if (!wanted) return gp_fail_memory(error);
  for (uint32_t f = 0; f < b->functions->count; f++) {
    gp_range code = code_of(b, f);
    if (code.low == code.high) continue;
    bool all = b->options->all && b->options->named;
    if (all || gp_recorded_ranges_in(&b->recorded, code)) wanted[count++] = code;
  }
  gp_inline_map *map = &b->lines->chains;
  bool done = gp_inline_map_build(map, b->image, b->options->chains, wanted, count,
                                  &b->inlines_known, error);
  free(wanted);
  b->lines->gaps = map->gaps;
  map->gaps = (gp_inline_gaps){0};
  return done;
}

/* --- symbols ------------------------------------------------------------------ */

static bool make_room(building *b) {
  gp_symtab *symtab = b->symtab;
  gp_symtab_lines *lines = b->lines;
  return GP_RESERVE(&b->capacity, symtab->count + 1, GP_COLUMN(symtab->address),
                    GP_COLUMN(symtab->name), GP_COLUMN(symtab->flags),
                    GP_COLUMN(symtab->order), GP_COLUMN(lines->function),
                    GP_COLUMN(lines->origin), GP_COLUMN(lines->file),
                    GP_COLUMN(lines->line));
}

/* Appends a symbol within the code of `function`. */
static bool append(building *b, uint64_t address, uint32_t function, const char *name,
                   uint8_t flags, uint32_t order, const place *source) {
  gp_symtab *symtab = b->symtab;
  gp_symtab_lines *lines = b->lines;
  if (symtab->count >= UINT32_MAX / 2 || !make_room(b)) return false;
  size_t row = symtab->count++;
  symtab->address[row] = address;
  symtab->name[row] = name;
  symtab->flags[row] = flags;
  symtab->order[row] = order;
  lines->origin[row] = function;
  lines->function[row] = function;  /* link_lines replaces it with the function's row */
  lines->file[row] = source->file;
  lines->line[row] = source->line;
  return true;
}

/* Appends the symbol of a function or cold part. A cold part becomes a line of its
 * function. */
static bool append_function(building *b, uint32_t function, const place *source) {
  const gp_symtab *functions = b->functions;
  uint32_t owner = gp_symtab_owner(functions, function);
  uint8_t flags = functions->flags[owner];
  b->row[function] = (uint32_t)b->symtab->count;
  if (functions->flags[function] & GP_FUNCTION) b->typed = function;
  if (owner != function) flags &= (uint8_t)~GP_FUNCTION;
  return append(b, functions->address[function], owner, functions->name[owner], flags,
                functions->order[function], source);
}

/* Replaces a name by a copy that belongs to the table, unless it is the image's. */
static bool keep_name(building *b, const char **name) {
  uint32_t number;
  if (!b->inlines_known) return true;
  if (!gp_source_names_add(&b->lines->names, *name, &number)) return false;
  *name = b->lines->names.name[number];
  return true;
}

static bool append_line(building *b, uint64_t address, uint32_t function,
                        const place *source) {
  uint32_t owner = gp_symtab_owner(b->functions, function);
  const char *name = b->functions->name[owner];
  if (source->function && source->function != name) {
    name = source->function;
    if (!keep_name(b, &name)) return false;
  }
  return append(b, address, owner, name, b->functions->flags[owner] & GP_STATIC,
                b->next_order++, source);
}

/* Returns the name of the innermost function at an address of `function`, from the inline
 * map. A function that was compiled, not inlined, has its symbol's name. */
static const char *mapped_name(const building *b, uint32_t function, uint64_t address) {
  const gp_symtab *functions = b->functions;
  const gp_inline_map *map = &b->lines->chains;
  uint32_t owner = gp_symtab_owner(functions, function);
  uint32_t scope = gp_inline_map_find(map, address);
  bool compiled = scope == GP_NONE || map->function[scope] == GP_NONE ||
                  (map->parent[scope] == GP_NONE &&
                   (map->entry[scope] == functions->address[owner] ||
                    map->entry[scope] == functions->address[function]));
  return compiled ? functions->name[owner] : map->names.name[map->function[scope]];
}

/* Returns the name of the innermost function, possibly an inlined one, at an address of
 * `function`; NULL if unknown. Without an inline map, libbfd is asked, unless that would
 * take too much time; then the symbol's name is probably right. */
static const char *name_at(const building *b, uint32_t function, uint64_t address) {
  gp_location source;
  if (b->inlines_known) return mapped_name(b, function, address);
  if (b->map.costly)
    return b->functions->name[gp_symtab_owner(b->functions, function)];
  return gp_image_locate(b->image, address, &source) ? source.function : NULL;
}

static bool is_function_at(const building *b, uint32_t within, uint64_t address,
                           const char *function) {
  const char *other = name_at(b, within, address);
  return other && strcmp(other, function) == 0;
}

/* Without the policy labels_before_lines, a line replaces the symbol at its address, as
 * in GNU gprof. Exceptions: the symbol is the function in `typed`, no symbol so far is
 * typed as a function, or the symbol's name begins with fewer underscores than the name
 * of the line's function. */
static void prefer_line(building *b, uint32_t function, const place *source) {
  uint32_t row = b->row[function];
  if (b->symtab->policy->labels_before_lines || b->typed == GP_NONE ||
      b->typed == function ||
      gp_underscores(b->symtab->name[row]) < gp_underscores(source->function))
    return;
  b->symtab->name[row] = source->function;
  b->symtab->flags[row] &= GP_STATIC;
  b->symtab->order[row] = b->next_order++;
  b->lines->function[row] = b->typed;
}

/* Handles code from the location `source` at an address. Begins a symbol if the preceding
 * code is from another line or function, unless a function's symbol begins at the
 * address. */
static bool enter_line(building *b, uint64_t address, uint32_t function,
                       const place *source) {
  const char *a = source->function, *z = b->last.function;
  bool same = source->file == b->last.file && source->line == b->last.line &&
              source->scope == b->last.scope &&
              (!a || !z || a == z || strcmp(a, z) == 0);
  b->last = *source;
  if (same) return true;
  if (address != b->functions->address[function])
    return append_line(b, address, function, source);
  prefer_line(b, function, source);
  return true;
}

/* Whether code is from `function` at both ends and at every recorded address. (The caller
 * has tested the low end. GNU gprof tests every byte.) */
static bool is_one_function(const building *b, uint32_t within, gp_range code,
                      const char *function) {
  if (!b->symtab->policy->recorded_lines_only) return code.high - code.low == 1;
  if (!is_function_at(b, within, code.high - 1, function)) return false;
  const gp_recorded_ranges *recorded = &b->recorded;
  for (size_t i = gp_range_above(recorded->ranges, recorded->count, code.low);
       i < recorded->count && recorded->ranges[i].low < code.high; i++) {
    gp_range range = gp_range_clip(recorded->ranges[i], code);
    for (uint64_t address = range.low; address < range.high; address++)
      if (!is_function_at(b, within, address, function)) return false;
  }
  return true;
}

/* Emits code from the location `source`, with a symbol for each chain of inlined
 * functions. */
static bool emit_chains(building *b, uint32_t function, place source, gp_range code) {
  const gp_inline_map *map = &b->lines->chains;
  for (uint64_t address = code.low; address < code.high;
       address = gp_inline_map_end(map, address)) {
    source.function = mapped_name(b, function, address);
    source.scope = gp_inline_map_find(map, address);
    if (!enter_line(b, address, function, &source)) return false;
  }
  return true;
}

/* Emits the part of a map row that lies within `code`, with a symbol for each inlined
 * function. */
static bool emit_named(building *b, uint32_t function, size_t row, gp_range code) {
  code = gp_range_clip((gp_range){b->map.low[row], b->map.high[row]}, code);
  place source = {b->map.file[row], b->map.line[row], NULL, GP_NONE};
  if (b->options->chains && b->inlines_known)
    return emit_chains(b, function, source, code);
  source.function = name_at(b, function, code.low);
  if (source.function && !enter_line(b, code.low, function, &source)) return false;
  if (source.function && is_one_function(b, function, code, source.function))
    return true;
  for (uint64_t address = code.low + 1; address < code.high; address++) {
    source.function = name_at(b, function, address);
    if (source.function && !enter_line(b, address, function, &source)) return false;
  }
  return true;
}

/* Emits rows [first, end) of the map, which have the same line. `part` is the function's
 * code from the first row to the next line. */
static bool emit_line(building *b, uint32_t function, size_t first, size_t end,
                      gp_range part, gp_range code) {
  if (!b->options->named && !gp_recorded_ranges_in(&b->recorded, part)) {
    place source = {b->map.file[first], b->map.line[first], NULL, GP_NONE};
    if (b->options->all) return enter_line(b, part.low, function, &source);
    b->last = source;
    return true;
  }
  for (size_t row = first; row < end; row++)
    if (!emit_named(b, function, row, code)) return false;
  return true;
}

/* Returns one past the rows that have the same line as row `first` and begin below
 * `high`. */
static size_t end_of_line(const gp_line_map *map, size_t first, uint64_t high) {
  size_t end = first + 1;
  while (end < map->count && map->low[end] < high && map->file[first] == map->file[end] &&
         map->line[first] == map->line[end])
    end++;
  return end;
}

/* Returns the first row, from `first` on, that ends above an address. */
static size_t skip_to(const gp_line_map *map, size_t first, uint64_t address) {
  while (first < map->count && map->high[first] <= address) first++;
  return first;
}

/* Appends a function's symbol. Advances `*next` to the first map row that ends above the
 * function's entry. */
static bool emit_entry(building *b, uint32_t function, size_t *next) {
  const gp_line_map *map = &b->map;
  uint64_t entry = b->functions->address[function];
  size_t at = *next = skip_to(map, *next, entry);
  place source = {GP_NONE, 0, NULL, GP_NONE};
  if (at < map->count && map->low[at] <= entry)
    source = (place){map->file[at], map->line[at], NULL, GP_NONE};
  return append_function(b, function, &source);
}

/* Appends the symbols of a function's lines. */
static bool emit_code_lines(building *b, uint32_t function, size_t *next) {
  const gp_line_map *map = &b->map;
  gp_range code = code_of(b, function);
  size_t first = skip_to(map, *next, code.low);
  while (first < map->count && map->low[first] < code.high) {
    size_t end = end_of_line(map, first, code.high);
    gp_range part = {map->low[first], end < map->count ? map->low[end] : UINT64_MAX};
    part = gp_range_clip(part, code);
    if (!emit_line(b, function, first, end, part, code)) return false;
    /* the last row extends into the next function */
    if (map->high[end - 1] > code.high) break;
    first = end;
  }
  *next = first;
  return true;
}

/* --- the table ------------------------------------------------------------------ */

static bool emit_all(building *b) {
  size_t next = 0;
  b->last = (place){GP_NONE, 0, NULL, GP_NONE};
  b->typed = GP_NONE;
  for (uint32_t f = 0; f < b->functions->count; f++)
    if (!emit_entry(b, f, &next) || !emit_code_lines(b, f, &next)) return false;
  return true;
}

/* Drops the last symbol if it is beyond .text, unless the table has no lines. GNU gprof
 * does the same (policy last_line_kept). The preceding symbol then ends where the dropped
 * one began. */
static void drop_last_symbol(const building *b) {
  gp_symtab *symtab = b->symtab;
  if (b->functions->sourceless || symtab->count < 2) return;
  uint64_t last = symtab->address[symtab->count - 1];
  if (last < b->image->text_high) return;
  symtab->text_high = last;
  symtab->count--;
}

/* Links lines to the rows of their functions, and functions to their lines: first the
 * function's own row, then its other lines by address. Lines of a cold part may have
 * lower addresses. */
static bool link_lines(building *b) {
  gp_symtab_lines *lines = b->lines;
  size_t count = b->symtab->count;
  uint32_t *last = gp_identity(count);  /* for each function: its last line so far */
  lines->next = gp_column(count, sizeof *lines->next);
  bool done = last && lines->next;
  if (done) memset(lines->next, 0xff, count * sizeof *lines->next);
  for (uint32_t row = 0; done && row < count; row++) {
    uint32_t function = lines->function[row] = b->row[lines->function[row]];
    if (row == function) continue;
    lines->next[last[function]] = row;
    last[function] = row;
  }
  free(last);
  return done;
}

/* Copies the file names from the map; their numbers stay the same. */
static bool copy_files(building *b) {
  uint32_t number;
  for (size_t i = 0; i < b->map.names.count; i++)
    if (!gp_source_names_add(&b->lines->files, b->map.names.name[i], &number))
      return false;
  return true;
}

static bool build(building *b, const gp_data *data, gp_error *error) {
  const gp_symtab *functions = b->functions;
  b->lines = b->symtab->lines = gp_column(1, sizeof *b->lines);
  if (!b->lines) return gp_fail_memory(error);
  gp_source_names_init(&b->lines->files);
  gp_source_names_init(&b->lines->names);
  gp_inline_map_init(&b->lines->chains);
  b->lines->chained = b->options->chains;
  b->row = gp_column(functions->count, sizeof *b->row);
  for (size_t i = 0; i < functions->count; i++)
    if (functions->order[i] >= b->next_order) b->next_order = functions->order[i] + 1;
  /* unless all lines get symbols and every byte is searched for inlined functions */
  bool recorded = !b->options->all || !b->options->named ||
                  b->symtab->policy->recorded_lines_only;
  if (!b->row || (recorded && !gp_recorded_ranges_find(&b->recorded, data)))
    return gp_fail_memory(error);
  if (!functions->sourceless && !(read_map(b, error) && read_inlines(b, error)))
    return false;
  if (!b->inlines_known && !gp_image_prepare_locate(b->image))
    return gp_fail_memory(error);
  if (!emit_all(b)) return gp_fail_memory(error);
  if (!b->options->chains) gp_inline_map_free(&b->lines->chains);
  if (!b->symtab->policy->last_line_kept) drop_last_symbol(b);
  if (functions->outside != GP_NONE) b->symtab->outside = b->row[functions->outside];
  return (link_lines(b) && copy_files(b)) || gp_fail_memory(error);
}

bool gp_line_symtab_build(gp_symtab *symtab, const gp_symtab *functions,
                          const gp_image *image, const gp_data *data,
                          const gp_line_symtab_options *options, gp_error *error) {
  building b = {.functions = functions, .options = options, .symtab = symtab};
  b.image = gp_image_for_lines(image, !functions->policy->debug_files);
  memset(symtab, 0, sizeof *symtab);
  symtab->outside = GP_NONE;
  symtab->text_high = functions->text_high;
  symtab->trace = functions->trace;
  symtab->policy = functions->policy;
  symtab->sourceless = functions->sourceless;
  bool done = build(&b, data, error);
  free(b.row);
  gp_recorded_ranges_free(&b.recorded);
  gp_line_map_free(&b.map);
  if (!done) gp_symtab_free(symtab);
  return done;
}
