/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of function symbols. */
#include "symbols/symtab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "symbols/cold_parts.h"

/* The state of gp_symtab_build. */
typedef struct building {
  const gp_symtab_options *options;
  gp_candidates chosen;
} building;

/* --- sorting, and one symbol per address ----------------------------------- */

/* Sorts by address. Symbols at the same address: functions first, then global symbols,
 * then in table order. */
static int by_address(const void *left, const void *right) {
  const gp_candidate *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address ? -1 : 1;
  if ((a->flags ^ b->flags) & GP_FUNCTION) return a->flags & GP_FUNCTION ? -1 : 1;
  if ((a->flags ^ b->flags) & GP_STATIC) return a->flags & GP_STATIC ? 1 : -1;
  return a->order < b->order ? -1 : a->order > b->order;
}

/* Symbol files are mostly sorted already; then qsort would copy all rows. */
static void sort(gp_candidates *chosen) {
  size_t sorted = 1;
  while (sorted < chosen->count &&
         by_address(&chosen->rows[sorted - 1], &chosen->rows[sorted]) <= 0)
    sorted++;
  if (sorted < chosen->count)
    qsort(chosen->rows, chosen->count, sizeof *chosen->rows, by_address);
}

unsigned gp_underscores(const char *name) {
  return name[0] != '_' ? 0 : name[1] != '_' ? 1 : 2;
}

/* Whether a symbol is preferred to the best one so far at its address. */
static bool wins(const gp_candidate *newcomer, const gp_candidate *best,
                 const gp_policy *policy) {
  if ((newcomer->owner == GP_NONE) != (best->owner == GP_NONE))
    return newcomer->owner == GP_NONE;  /* a function before a cold part */
  if (policy->functions_before_labels && (newcomer->flags ^ best->flags) & GP_FUNCTION)
    return (newcomer->flags & GP_FUNCTION) != 0;
  if ((newcomer->flags ^ best->flags) & GP_STATIC) return !(newcomer->flags & GP_STATIC);
  if ((newcomer->flags ^ best->flags) & GP_FUNCTION)
    return (newcomer->flags & GP_FUNCTION) != 0;
  return gp_underscores(newcomer->name) < gp_underscores(best->name);
}

/* Returns the preferred symbol at the address of `row`. Its `order` becomes the lowest of
 * all symbols at that address. Sets `*end` to the row after the last of these symbols. */
static gp_candidate winner_from(const gp_candidates *chosen, size_t row, size_t *end,
                                const gp_symtab_options *options) {
  gp_candidate best = chosen->rows[row];
  for (*end = row + 1; *end < chosen->count; ++*end) {
    gp_candidate c = chosen->rows[*end];
    if (c.address != best.address) break;
    uint32_t first = c.order < best.order ? c.order : best.order;
    bool newcomer = wins(&c, &best, options->policy);
    GP_TRACE(options->trace, GP_TRACE_SYMBOLS,
             "0x%" PRIx64 " has two symbols: %s is kept, %s is dropped", c.address,
             newcomer ? c.name : best.name, newcomer ? best.name : c.name);
    if (newcomer) best = c;
    best.order = first;
  }
  return best;
}

/* Reduces the candidates, in place, to one per address. With map_whole_objects also
 * merges neighbours that represent the same object file. For the lookup of owners, sets
 * `place[order]` to the row into which the symbol with this `order` was merged. */
static void deduplicate(gp_candidates *chosen, uint32_t *place,
                 const gp_symtab_options *options) {
  size_t kept = 0;
  for (size_t i = 0, end; i < chosen->count; i = end) {
    gp_candidate c = winner_from(chosen, i, &end, options);
    const gp_candidate *last = kept > 0 ? &chosen->rows[kept - 1] : NULL;
    bool merged = options->policy->map_whole_objects && last &&
                  last->flags & c.flags & GP_MAPPED && strcmp(last->name, c.name) == 0;
    for (size_t other = i; other < end; other++)
      place[chosen->rows[other].order] = (uint32_t)(merged ? kept - 1 : kept);
    if (!merged) chosen->rows[kept++] = c;
  }
  chosen->count = kept;
}

static bool allocate(gp_symtab *symtab, size_t count, bool owned) {
  symtab->count = count;
  symtab->address = gp_column(count, sizeof *symtab->address);
  symtab->name = gp_column(count, sizeof *symtab->name);
  symtab->flags = gp_column(count, sizeof *symtab->flags);
  symtab->order = gp_column(count, sizeof *symtab->order);
  if (owned) symtab->owner = gp_column(count, sizeof *symtab->owner);
  return symtab->address && symtab->name && symtab->flags && symtab->order &&
         (!owned || symtab->owner);
}

static bool fill(gp_symtab *symtab, const gp_candidates *chosen, const uint32_t *place,
                 bool owned, gp_error *error) {
  if (!allocate(symtab, chosen->count, owned)) return gp_fail_memory(error);
  for (size_t i = 0; i < chosen->count; i++) {
    const gp_candidate *c = &chosen->rows[i];
    symtab->address[i] = c->address;
    symtab->name[i] = c->name;
    symtab->flags[i] = c->flags;
    symtab->order[i] = c->order;
    if (owned)
      symtab->owner[i] = c->owner == GP_NONE ? (uint32_t)i : place[c->owner];
  }
  return true;
}

/* Removes unwanted candidates. Replaces the row of each owner with its `order`, which
 * stays the same when candidates move. True if any symbol has an owner. */
static bool remove_unwanted(building *b) {
  gp_candidates *chosen = &b->chosen;
  bool owned = false;
  bool omits_static = b->options->no_static &&
                      !(b->options->symbols && !b->options->policy->symfile_static);
  size_t kept = 0;
  for (size_t i = 0; i < chosen->count; i++) {
    gp_candidate *c = &chosen->rows[i];
    bool is_static = c->flags & GP_STATIC &&
                     (c->owner == GP_NONE || b->chosen.rows[c->owner].flags & GP_STATIC);
    if (omits_static && is_static) {  /* cold parts of global functions are kept */
      GP_TRACE(b->options->trace, GP_TRACE_SYMBOLS,
               "0x%" PRIx64 " %s is omitted: static", c->address, c->name);
      c->name = NULL;
    } else if (c->owner != GP_NONE)
      owned = true;
  }
  for (size_t i = 0; i < chosen->count; i++)
    if (chosen->rows[i].owner != GP_NONE)
      chosen->rows[i].owner = chosen->rows[chosen->rows[i].owner].order;
  for (size_t i = 0; i < chosen->count; i++)
    if (chosen->rows[i].name) chosen->rows[kept++] = chosen->rows[i];
  chosen->count = kept;
  return owned;
}

/* Appends "<outside>", a function without code that represents the callers of a shared
 * library. */
static bool add_outside(building *b, gp_symtab *symtab, gp_error *error) {
  gp_candidates *chosen = &b->chosen;
  uint64_t last = chosen->count > 0 ? chosen->rows[chosen->count - 1].address : 0;
  if (!GP_RESERVE(&chosen->capacity, chosen->count + 1, GP_COLUMN(chosen->rows)))
    return gp_fail_memory(error);
  if (last < UINT64_MAX) last++;
  symtab->outside = (uint32_t)chosen->count;
  chosen->rows[chosen->count++] = (gp_candidate){
      .address = last < symtab->text_high ? symtab->text_high : last,
      .name = "<outside>", .order = (uint32_t)chosen->table_size, .owner = GP_NONE,
      .flags = GP_FUNCTION | GP_CALLERS};
  return true;
}

static void trace_symbols(const gp_symtab *symtab) {
  for (uint32_t s = 0; s < symtab->count; s++) {
    uint32_t owner = gp_symtab_owner(symtab, s);
    gp_trace_write(symtab->trace, GP_TRACE_SYMBOLS,
                   "number %" PRIu32 ": 0x%" PRIx64 " to 0x%" PRIx64 " %s%s%s", s + 1,
                   symtab->address[s], gp_symtab_end(symtab, s), symtab->name[s],
                   owner != s ? ", a part of " : "",
                   owner != s ? symtab->name[owner] : "");
  }
}

/* Sets one past the end of the last symbol. */
static void set_end(gp_symtab *symtab, const gp_candidates *chosen,
                    const gp_image *image) {
  symtab->text_high = image->text_high;
  if (!symtab->policy->all_sections || chosen->count == 0) return;
  uint64_t last = chosen->rows[chosen->count - 1].address;
  asection *section = gp_image_code_section(image, last);
  if (last >= image->text_high && section)
    symtab->text_high = gp_image_code_of(image, section).high;
}

static bool sort_and_fill(building *b, gp_symtab *symtab, const gp_image *image,
                          gp_error *error) {
  bool owned = remove_unwanted(b);
  uint32_t *place = gp_column(b->chosen.table_size, sizeof *place);
  if (!place) return gp_fail_memory(error);
  sort(&b->chosen);
  size_t candidates = b->chosen.count;
  deduplicate(&b->chosen, place, b->options);
  set_end(symtab, &b->chosen, image);
  symtab->last_unsampled =
      b->chosen.count < candidates && !b->options->policy->last_symbol_sampled;
  bool outside = b->options->outside && b->chosen.count > 0;
  bool done = (!outside || add_outside(b, symtab, error)) &&
              fill(symtab, &b->chosen, place, owned, error);
  if (done && gp_traces(symtab->trace, GP_TRACE_SYMBOLS)) trace_symbols(symtab);
  free(place);
  return done;
}

/* A stripped image may have no symbols at all. */
static bool choose(building *b, gp_image *image, gp_error *error) {
  return gp_candidates_choose(&b->chosen, image, b->options, error) ||
         (b->options->gaps && image->stripped);
}

bool gp_symtab_build(gp_symtab *symtab, gp_image *image, const gp_symtab_options *options,
                     gp_error *error) {
  building b = {.options = options};
  memset(symtab, 0, sizeof *symtab);
  symtab->outside = GP_NONE;
  symtab->policy = options->policy;
  symtab->sourceless = options->symbols != NULL;
  symtab->trace = options->trace;
  bool done = choose(&b, image, error) &&
              (!options->policy->cold_parts_owned || gp_cold_parts_assign(&b.chosen) ||
               gp_fail_memory(error)) &&
              sort_and_fill(&b, symtab, image, error);
  gp_candidates_free(&b.chosen);
  if (done && symtab->count == 0 && !options->gaps)
    done = gp_fail(error, options->no_static ? "has no global function symbols"
                                             : "has no function symbols");
  if (!done) gp_symtab_free(symtab);
  return done;
}

static void free_lines(gp_symtab_lines *lines) {
  if (!lines) return;
  free(lines->function);
  free(lines->next);
  free(lines->origin);
  free(lines->file);
  free(lines->line);
  gp_source_names_free(&lines->files);
  gp_source_names_free(&lines->names);
  gp_inline_gaps_free(&lines->gaps);
  gp_inline_map_free(&lines->chains);
  free(lines);
}

static void free_objects(gp_symtab_objects *objects) {
  if (!objects) return;
  free(objects->name);
  free(objects->object);
  free(objects->text);
  free(objects);
}

static void free_inlining(gp_symtab_inlining *inlining) {
  if (!inlining) return;
  gp_inline_map_free(&inlining->map);
  free(inlining->symbol);
  free(inlining->scope);
  for (size_t i = 0; i < inlining->objects; i++) gp_inline_gaps_free(&inlining->gaps[i]);
  free(inlining->gaps);
  free(inlining);
}

void gp_symtab_free(gp_symtab *symtab) {
  free(symtab->address);
  free(symtab->name);
  free(symtab->flags);
  free(symtab->order);
  free(symtab->owner);
  free(symtab->end);
  free(symtab->unnamed);
  free_lines(symtab->lines);
  free_objects(symtab->objects);
  free_inlining(symtab->inlining);
  memset(symtab, 0, sizeof *symtab);
}

/* --- lookup ---------------------------------------------------------------- */

uint64_t gp_symtab_end(const gp_symtab *symtab, uint32_t symbol) {
  if (symtab->end) return symtab->end[symbol];
  if (symbol + 1 < symtab->count) return symtab->address[symbol + 1] - 1;
  return symtab->text_high - 1;
}

gp_range gp_symtab_range(const gp_symtab *symtab, uint32_t symbol) {
  uint64_t last = gp_symtab_end(symtab, symbol);
  return (gp_range){symtab->address[symbol], last == UINT64_MAX ? last : last + 1};
}

static bool begins_up_to(const void *addresses, size_t row, uint64_t address) {
  return ((const uint64_t *)addresses)[row] <= address;
}

uint32_t gp_symtab_above(const gp_symtab *symtab, uint64_t address) {
  return (uint32_t)gp_search(symtab->address, 0, symtab->count, address, begins_up_to);
}

uint32_t gp_symtab_code_end(const gp_symtab *symtab, uint32_t symbol) {
  uint32_t end = symbol + 1;
  if (!symtab->lines) return end;
  const uint32_t *origin = symtab->lines->origin;
  while (end < symtab->count && origin[end] == origin[symbol]) end++;
  return end;
}

uint32_t gp_symtab_at(const gp_symtab *symtab, uint64_t address) {
  uint32_t above = gp_symtab_above(symtab, address);
  return above > 0 && symtab->address[above - 1] == address ? above - 1 : GP_NONE;
}

uint32_t gp_symtab_find_near(const gp_symtab *symtab, uint64_t address,
                             uint32_t *near) {
  uint32_t above = *near + 1;
  if (above > symtab->count || symtab->address[above - 1] > address ||
      (above < symtab->count && symtab->address[above] <= address))
    above = gp_symtab_above(symtab, address);
  *near = above > 0 ? above - 1 : 0;
  bool found = above > 0 && address <= gp_symtab_end(symtab, above - 1);
  uint32_t function = found ? gp_symtab_owner(symtab, above - 1) : GP_NONE;
  GP_TRACE(symtab->trace, GP_TRACE_LOOKUP, "0x%" PRIx64 " is in %s", address,
           found ? symtab->name[function] : "no function");
  return function;
}

uint32_t gp_symtab_find(const gp_symtab *symtab, uint64_t address) {
  uint32_t near = 0;
  return gp_symtab_find_near(symtab, address, &near);
}
