/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol table of a profile in which inlined functions are functions. */
#include "profile/inlines/inlined_symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "debug/inline_map_build.h"
#include "gmon/contexts/call_paths.h"
#include "gmon/recorded_ranges.h"

/* The symbols of inlined code are this many bytes apart, from a multiple of GAP on. */
enum { DISTANCE = 16, GAP = 1 << 16 };

/* A table being built. */
typedef struct building {
  const gp_symtab *functions;
  const gp_image *image;
  const gp_data *data;
  gp_symtab *symtab;
  gp_symtab_inlining *inlining;
  gp_recorded_ranges recorded;
  size_t *first_scope;    /* for each object: its first scope */
  bool *used;             /* for each scope: something was recorded in it */
  uint32_t *begin;        /* for each name of the map: where its functions begin in
                             `named`; and one more item */
  uint32_t *named;        /* compiled functions, by name, then by address */
  uint32_t *compiled;     /* for each function: its scope in the map; GP_NONE if it has no
                             recorded addresses */
  gp_pairs added;         /* new symbols: name, and the compiled function or GP_NONE, in
                             one number; and, without one, where it is declared */
} building;

/* --- the map ------------------------------------------------------------------- */

/* Returns the object with this number. */
static gp_symtab_object object_at(const building *b, size_t number) {
  const gp_symtab_objects *objects = b->functions->objects;
  return objects ? objects->object[number] : (gp_symtab_object){NULL, 0};
}

/* Returns the code of an object's functions with recorded addresses, with the addresses
 * of the object; NULL if there is no memory. */
static gp_range *find_wanted(const building *b, const gp_image *image, uint64_t slide,
                             size_t *count) {
  const gp_symtab *functions = b->functions;
  gp_range text = {image->code.low + slide, image->code.high + slide};
  gp_range *wanted = gp_column(functions->count, sizeof *wanted);
  uint32_t f = gp_symtab_above(functions, text.low);
  *count = 0;
  for (f = f > 0 ? f - 1 : 0; wanted && f < functions->count; f++) {
    if (functions->address[f] >= text.high) break;
    gp_range code = gp_range_clip(gp_symtab_range(functions, f), text);
    if (code.low < code.high && gp_recorded_ranges_in(&b->recorded, code))
      wanted[(*count)++] = (gp_range){code.low - slide, code.high - slide};
  }
  return wanted;
}

/* Appends the map of a library, with the names that its functions have in the table. */
static bool append_library(building *b, const gp_inline_map *map,
                           const gp_symtab_object *library) {
  char *suffix;
  if (asprintf(&suffix, "@%s", library->name) < 0) return false;
  bool done = gp_inline_map_append(&b->inlining->map, map, library->slide, suffix);
  free(suffix);
  return done;
}

/* Maps the code of an object, and moves the gaps of the map to those of the object. */
static bool read_object(building *b, size_t number, const gp_image *image,
                        gp_error *error) {
  gp_symtab_object object = object_at(b, number);
  gp_inline_map own = {0}, *map = object.name ? &own : &b->inlining->map;
  size_t count;
  bool readable;
  if (image->code.high > UINT64_MAX - object.slide) return true;
  gp_range *wanted = find_wanted(b, image, object.slide, &count);
  if (!wanted) return gp_fail_memory(error);
  bool done = gp_inline_map_build(map, image, true, wanted, count, &readable, error);
  free(wanted);
  b->inlining->gaps[number] = map->gaps;
  map->gaps = (gp_inline_gaps){0};
  if (!object.name) return done;
  done = done && (append_library(b, &own, &object) || gp_fail_memory(error));
  gp_inline_map_free(&own);
  return done;
}

/* Maps the code of the functions with recorded addresses, object by object. */
static bool read_maps(building *b, const gp_image *const *images, gp_error *error) {
  const gp_symtab_objects *objects = b->functions->objects;
  bool own_only = !b->functions->policy->debug_files;
  size_t count = objects ? objects->count : 1;
  b->inlining->gaps = gp_column(count, sizeof *b->inlining->gaps);
  b->first_scope = gp_column(count, sizeof *b->first_scope);
  if (!b->inlining->gaps || !b->first_scope) return gp_fail_memory(error);
  b->inlining->objects = count;
  for (size_t i = 0; i < count; i++) {
    b->first_scope[i] = b->inlining->map.count;
    if (images[i] && !read_object(b, i, gp_image_for_lines(images[i], own_only), error))
      return false;
  }
  return true;
}

/* Marks a scope and those around it. */
static void use(building *b, uint32_t scope) {
  const gp_inline_map *map = &b->inlining->map;
  for (; scope != GP_NONE && !b->used[scope]; scope = map->parent[scope])
    b->used[scope] = true;
}

/* Marks the scopes with samples, and those that made calls. A call returns to the address
 * after it, which may be in another scope. */
static bool find_used(building *b) {
  const gp_inline_map *map = &b->inlining->map;
  const gp_arcs *arcs = &b->data->arcs;
  b->used = gp_column(map->count, sizeof *b->used);
  if (!b->used) return false;
  for (size_t i = 0; i < map->segment_count; i++)
    if (gp_recorded_ranges_in(&b->recorded, (gp_range){map->low[i], map->high[i]}))
      use(b, map->scope[i]);
  for (size_t i = 0; i < arcs->count; i++)
    if (arcs->from[i] > 0) use(b, gp_inline_map_find(map, arcs->from[i] - 1));
  return true;
}

/* --- compiled functions with the names of inlined ones --------------------------- */

static uint32_t name_of(const building *b, uint32_t symbol) {
  const gp_symtab *functions = b->functions;
  if (!(functions->flags[symbol] & GP_FUNCTION) ||
      gp_symtab_owner(functions, symbol) != symbol)
    return GP_NONE;
  return gp_source_names_find(&b->inlining->map.names,
                              gp_image_plain_name(b->image, functions->name[symbol]));
}

/* Sorts the compiled functions by name. A counting sort keeps them in address order. */
static bool find_named(building *b) {
  size_t names = b->inlining->map.names.count, count = b->functions->count;
  uint32_t *name = gp_column(count, sizeof *name);
  b->begin = gp_column(names + 2, sizeof *b->begin);
  b->named = gp_column(count, sizeof *b->named);
  bool done = name && b->begin && b->named;
  for (uint32_t s = 0; done && s < count; s++)
    if ((name[s] = name_of(b, s)) != GP_NONE) b->begin[name[s] + 2]++;
  for (size_t n = 1; done && n < names + 2; n++) b->begin[n] += b->begin[n - 1];
  for (uint32_t s = 0; done && s < count; s++)
    if (name[s] != GP_NONE) b->named[b->begin[name[s] + 1]++] = s;
  free(name);
  return done;
}

static bool begins_before(const void *context, size_t row, uint64_t address) {
  const building *b = context;
  return b->functions->address[b->named[row]] < address;
}

/* Finds the scopes of compiled functions. */
static bool find_compiled(building *b) {
  const gp_inline_map *map = &b->inlining->map;
  size_t count = b->functions->count;
  b->compiled = gp_column(count, sizeof *b->compiled);
  if (!b->compiled) return false;
  memset(b->compiled, 0xff, count * sizeof *b->compiled);
  for (uint32_t scope = 0; scope < map->count; scope++) {
    if (map->parent[scope] != GP_NONE) continue;
    uint32_t function = gp_symtab_at(b->functions, map->entry[scope]);
    if (function != GP_NONE) b->compiled[function] = scope;
  }
  return true;
}

static uint64_t place_of(const gp_inline_map *map, uint32_t scope) {
  uint32_t file = map->decl_file[scope];
  return file == GP_NONE ? 0 : (uint64_t)file << 32 | map->decl_line[scope];
}

/* Whether a compiled function can be the function of an inlined scope: 2 if it is
 * declared at the same place, 1 if that is unknown, else 0. */
static int fits(const building *b, uint32_t function, uint32_t scope) {
  const gp_inline_map *map = &b->inlining->map;
  uint32_t compiled = b->compiled[function];
  if (compiled == GP_NONE) return 1;
  uint64_t ours = place_of(map, scope), theirs = place_of(map, compiled);
  return ours == 0 || theirs == 0 ? 1 : ours == theirs ? 2 : 0;
}

/* Functions with the same name that are compared with an inlined one. */
enum { MAX_TRIED = 64 };

/* Returns the compiled function of an inlined scope, or GP_NONE. Of several functions
 * that fit equally well, it is the nearest by address. */
static uint32_t compiled_function(const building *b, uint32_t scope) {
  const gp_inline_map *map = &b->inlining->map;
  const uint64_t *addresses = b->functions->address;
  uint64_t address = map->entry[scope];
  uint32_t name = map->function[scope], found = GP_NONE;
  size_t begin = b->begin[name], end = b->begin[name + 1];
  size_t above = gp_search(b, begin, end, address, begins_before), below = above;
  int best = 0;
  for (int i = 0; i < MAX_TRIED && best < 2 && (below > begin || above < end); i++) {
    bool up = below == begin ||
              (above < end && addresses[b->named[above]] - address <
                                  address - addresses[b->named[below - 1]]);
    uint32_t function = b->named[up ? above++ : --below];
    int how = fits(b, function, scope);
    if (how > best) {
      found = function;
      best = how;
    }
  }
  return found;
}

/* --- symbols --------------------------------------------------------------------- */

/* Finds the function of each inlined scope, and numbers the new symbols. */
static bool find_functions(building *b) {
  gp_symtab_inlining *inlining = b->inlining;
  const gp_inline_map *map = &inlining->map;
  inlining->symbol = gp_column(map->count, sizeof *inlining->symbol);
  if (!inlining->symbol) return false;
  for (uint32_t scope = 0; scope < map->count; scope++) {
    uint32_t name = map->function[scope];
    uint32_t parent = map->parent[scope];
    inlining->symbol[scope] = parent == GP_NONE ? GP_NONE : inlining->symbol[parent];
    if (parent == GP_NONE || name == GP_NONE || !b->used[scope]) continue;
    uint32_t compiled = compiled_function(b, scope);
    uint64_t place = compiled == GP_NONE ? place_of(map, scope) : 0;
    uint32_t row = gp_pairs_row(&b->added, (uint64_t)compiled << 32 | name, place);
    if (row == GP_NONE || row >= UINT32_MAX / 2) return false;
    inlining->symbol[scope] = inlining->first + row;
    b->added.amount[row] = scope;
  }
  return true;
}

static bool allocate(building *b) {
  gp_symtab *symtab = b->symtab;
  size_t count = b->functions->count + b->added.count;
  symtab->address = gp_column(count, sizeof *symtab->address);
  symtab->name = gp_column(count, sizeof *symtab->name);
  symtab->flags = gp_column(count, sizeof *symtab->flags);
  symtab->order = gp_column(count, sizeof *symtab->order);
  symtab->owner = gp_column(count, sizeof *symtab->owner);
  symtab->end = gp_column(count, sizeof *symtab->end);
  b->inlining->scope = gp_column(b->added.count, sizeof *b->inlining->scope);
  if (b->functions->objects) {
    gp_symtab_objects *objects = symtab->objects = gp_column(1, sizeof *objects);
    if (objects) objects->name = gp_column(count, sizeof *objects->name);
    if (!objects || !objects->name) return false;
  }
  return symtab->address && symtab->name && symtab->flags && symtab->order &&
         symtab->owner && symtab->end && b->inlining->scope;
}

/* Copies the symbols of the table of functions. Sets `*high` to one past all of their
 * addresses and all histograms, and `*order` to one past the highest `order`. */
static void copy_functions(const building *b, uint64_t *high, uint32_t *order) {
  const gp_symtab *functions = b->functions;
  gp_symtab *symtab = b->symtab;
  *high = functions->text_high;
  *order = 0;
  for (uint32_t s = 0; s < functions->count; s++) {
    uint64_t last = gp_symtab_end(functions, s);
    symtab->address[s] = functions->address[s];
    symtab->name[s] = functions->name[s];
    symtab->flags[s] = functions->flags[s];
    symtab->order[s] = functions->order[s];
    symtab->owner[s] = gp_symtab_owner(functions, s);
    symtab->end[s] = last;
    if (symtab->objects) symtab->objects->name[s] = functions->objects->name[s];
    if (functions->address[s] >= *high) *high = functions->address[s] + 1;
    if (last >= *high) *high = last + 1;
    if (functions->order[s] >= *order) *order = functions->order[s] + 1;
  }
  for (size_t i = 0; i < b->data->histogram_count; i++)
    if (b->data->histograms[i].high > *high) *high = b->data->histograms[i].high;
}

static bool append_inlined(const building *b, uint64_t high, uint32_t order,
                           gp_error *error) {
  gp_symtab *symtab = b->symtab;
  uint64_t size = (uint64_t)DISTANCE * b->added.count;
  if (high == 0 || high > UINT64_MAX - (uint64_t)2 * GAP - size)
    return gp_fail(error, "the address space is too small for inlined functions");
  uint64_t address = (high + GAP) & ~(uint64_t)(GAP - 1);
  for (size_t i = 0; i < b->added.count; i++, address += DISTANCE) {
    uint32_t row = b->inlining->first + (uint32_t)i;
    uint32_t owner = (uint32_t)(b->added.first[i] >> 32);
    uint32_t name = (uint32_t)b->added.first[i];
    bool compiled = owner != GP_NONE;
    symtab->address[row] = symtab->end[row] = address;
    symtab->name[row] = compiled ? symtab->name[owner]
                                 : b->inlining->map.names.name[name];
    symtab->flags[row] = compiled ? symtab->flags[owner] : GP_FUNCTION;
    symtab->order[row] = order + (uint32_t)i;
    b->inlining->scope[i] = (uint32_t)b->added.amount[i];
    symtab->owner[row] = compiled ? owner : row;
    if (!symtab->objects) continue;
    size_t number = b->inlining->objects - 1;
    while (number > 0 && b->first_scope[number] > b->inlining->scope[i]) number--;
    symtab->objects->name[row] = object_at(b, number).name;
  }
  return true;
}

static bool fill(building *b, gp_error *error) {
  uint64_t high;
  uint32_t order;
  if (!allocate(b)) return gp_fail_memory(error);
  b->symtab->count = b->functions->count + b->added.count;
  copy_functions(b, &high, &order);
  return append_inlined(b, high, order, error);
}

/* --- the table --------------------------------------------------------------------- */

static bool build(building *b, const gp_image *const *images, gp_error *error) {
  b->inlining = b->symtab->inlining = gp_column(1, sizeof *b->inlining);
  if (!b->inlining) return gp_fail_memory(error);
  gp_inline_map_init(&b->inlining->map);
  b->inlining->first = (uint32_t)b->functions->count;
  if (!gp_recorded_ranges_find(&b->recorded, b->data)) return gp_fail_memory(error);
  if (!read_maps(b, images, error)) return false;
  if (!find_used(b) || !find_named(b) || !find_compiled(b) || !find_functions(b))
    return gp_fail_memory(error);
  return fill(b, error);
}

bool gp_inlined_symtab_build(gp_symtab *symtab, const gp_symtab *functions,
                             const gp_image *const *images, const gp_data *data,
                             gp_error *error) {
  building b = {.functions = functions, .data = data, .symtab = symtab};
  b.image = images[0];
  memset(symtab, 0, sizeof *symtab);
  symtab->outside = functions->outside;
  symtab->text_high = functions->text_high;
  symtab->trace = functions->trace;
  symtab->policy = functions->policy;
  symtab->sourceless = functions->sourceless;
  gp_pairs_init(&b.added);
  bool done = build(&b, images, error);
  gp_pairs_free(&b.added);
  gp_recorded_ranges_free(&b.recorded);
  free(b.first_scope);
  free(b.used);
  free(b.begin);
  free(b.named);
  free(b.compiled);
  if (!done) gp_symtab_free(symtab);
  return done;
}
