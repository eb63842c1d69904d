/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "scripts/bytecode.h"
#include "scripts/call_paths.h"

enum { FIRST_SLOTS = 1 << 8, FIRST_FUNCTIONS = 1 << 6 };

bool scr_functions_init(scr_functions *functions) {
  memset(functions, 0, sizeof *functions);
  gp_crc32_init(&functions->crc);
  functions->zone = SCR_NONE;
  functions->capacity = FIRST_FUNCTIONS;
  functions->slot_count = FIRST_SLOTS;
  functions->list = calloc(FIRST_FUNCTIONS, sizeof *functions->list);
  functions->slots = calloc(FIRST_SLOTS, sizeof *functions->slots);
  if (functions->list && functions->slots) return true;
  scr_functions_free(functions);
  return false;
}

void scr_functions_free(scr_functions *functions) {
  for (size_t i = 0; functions->list && i < functions->count; i++) {
    free(functions->list[i].source);
    free(functions->list[i].text);
    free(functions->list[i].name);
    scr_lines_free(&functions->list[i].lines);
  }
  free(functions->list);
  free(functions->slots);
  memset(functions, 0, sizeof *functions);
}

/* --- lookup by content ------------------------------------------------------------ */

static size_t hash_of(const scr_function *f) {
  uint64_t hash = (uint64_t)(uintptr_t)f->entry ^ (uint64_t)f->first << 32 ^ f->last ^
                  (uint64_t)f->signature << 20 ^ f->code;
  const char *source = f->source ? f->source : "";
  return (size_t)gp_mix(gp_hash_bytes(hash, source, strlen(source)));
}

static bool is_same(const scr_function *a, const scr_function *b) {
  if (a->entry != b->entry || a->first != b->first || a->last != b->last ||
      a->signature != b->signature || a->code != b->code)
    return false;
  if (!a->source || !b->source) return a->source == b->source;
  return strcmp(a->source, b->source) == 0;
}

/* Returns the number of Lua functions that differ from a function only in their bytecode,
 * or have the same hash. C functions are not counted: their addresses, and so their
 * hashes, are random, and a program does not generate them. */
static uint16_t *alike(scr_functions *functions, const scr_function *f) {
  scr_function place = *f;
  place.code = 0;
  return &functions->alike[hash_of(&place) % SCR_PLACES];
}

/* Returns the slot of a function: its own, or the free one where it belongs. */
static uint32_t *slot_of(const scr_functions *functions, const scr_function *wanted) {
  const size_t mask = functions->slot_count - 1;
  size_t at = hash_of(wanted) & mask;
  while (functions->slots[at] &&
         !is_same(&functions->list[functions->slots[at] - 1], wanted))
    at = (at + 1) & mask;
  return &functions->slots[at];
}

static bool is_added(const scr_functions *functions, const scr_function *f) {
  return *slot_of(functions, f) > 0;
}

/* Adds to a function what tells it apart from those that are alike. */
static void set_code(scr_functions *functions, scr_function *f, uint32_t code) {
  f->code = code;
  if (*alike(functions, f) >= SCR_MOST_ALIKE && !is_added(functions, f)) f->code = 0;
}

static bool grow(scr_functions *functions) {
  if (functions->count < functions->capacity) return true;
  scr_function *list =
      realloc(functions->list, functions->capacity * 2 * sizeof *list);
  if (list) functions->list = list;
  uint32_t *slots = list ? calloc(functions->slot_count * 2, sizeof *slots) : NULL;
  if (!slots) return false;
  functions->capacity *= 2;
  free(functions->slots);
  functions->slots = slots;
  functions->slot_count *= 2;
  for (size_t i = 0; i < functions->count; i++)
    *slot_of(functions, &functions->list[i]) = (uint32_t)i + 1;
  return true;
}

/* The most bytes of texts that are kept, in all. */
enum { MOST_TEXT = 1 << 24 };

/* Returns a copy of the text of a chunk, for the names in it; NULL if there are too many
 * texts. */
static char *kept_text(scr_functions *functions, const char *text) {
  const size_t size = text ? strlen(text) + 1 : 0;
  if (size == 0 || size > MOST_TEXT - functions->text_size) return NULL;
  functions->text_size += size;
  return strdup(text);
}

static uint32_t add(scr_functions *functions, const scr_function *wanted) {
  if (!grow(functions)) return SCR_NONE;
  scr_function added = *wanted;
  if (wanted->source && !(added.source = strdup(wanted->source))) return SCR_NONE;
  added.text = kept_text(functions, wanted->text);
  uint16_t *others = alike(functions, wanted);
  if (!wanted->entry && *others < UINT16_MAX) ++*others;
  const uint32_t number = (uint32_t)functions->count;
  uint32_t *slot = slot_of(functions, &added);
  functions->list[functions->count++] = added;
  *slot = number + 1;
  return number;
}

/* --- functions that are called ----------------------------------------------------- */

/* Ranks what the debug interface calls a name. Names in tables and globals are known in
 * the whole program; an upvalue usually has the name by which the function was defined, a
 * local variable may be a parameter. Rank 0 is for names of functions in modules. */
static uint32_t rank_of(const char *namewhat) {
  static const char *const kinds[] = {"global", "method", "field", "upvalue", "local"};
  const uint32_t count = sizeof kinds / sizeof *kinds;
  uint32_t rank = 0;
  while (rank < count && strcmp(namewhat, kinds[rank]) != 0) rank++;
  return rank + 1;
}

bool scr_function_name(scr_function *f, const char *name, uint32_t rank) {
  char *copy = strdup(name);
  if (!copy) return false;
  free(f->name);
  f->name = copy;
  f->rank = rank;
  return true;
}

/* The debug interface calls functions in arrays "integer index", and some others "?". */
static bool is_name(const char *name) {
  return name && strcmp(name, "integer index") != 0 && strcmp(name, "?") != 0;
}

/* Keeps the best name by which a function is called. Lua leaves out the underscores of
 * metamethods, except of __gc. */
static void learn_name(scr_function *f, lua_State *L, lua_Debug *ar) {
  f->asked++;
  if (!lua_getinfo(L, "n", ar) || !is_name(ar->name)) return;
  const uint32_t rank = rank_of(ar->namewhat);
  if (f->name && rank >= f->rank) return;
  char event[32];
  const bool is_event = strcmp(ar->namewhat, "metamethod") == 0 && *ar->name != '_';
  snprintf(event, sizeof event, "__%s", ar->name);
  scr_function_name(f, is_event ? event : ar->name, rank);
}

/* Returns the source of a function, without the text of a chunk that is not a file: the
 * shortened text, of limited size, identifies it well enough. */
static const char *short_source(const lua_Debug *ar) {
  return *ar->source == '@' || *ar->source == '=' ? ar->source : ar->short_src;
}

static uint32_t signature_of(const lua_Debug *ar) {
  return (uint32_t)ar->nups << 9 | (uint32_t)ar->nparams << 1 | (uint32_t)ar->isvararg;
}

/* Returns what identifies the function at the top of the stack, but for its bytecode.
 * Fills in `ar`, which may have the text of the source. */
static scr_function described(lua_State *L, lua_Debug *ar) {
  const lua_CFunction entry = lua_tocfunction(L, -1);
  if (entry) return (scr_function){.entry = entry};
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">Su", ar);
  const char *source = short_source(ar);
  return (scr_function){.source = (char *)(uintptr_t)source,
                        .text = source == ar->source ? NULL :
                                (char *)(uintptr_t)ar->source,
                        .first = (uint32_t)ar->linedefined,
                        .last = (uint32_t)ar->lastlinedefined,
                        .signature = signature_of(ar)};
}

/* Whether the bytecode of the function at the top of the stack identifies it, too. */
static bool has_code(const scr_functions *functions, lua_State *L) {
  return functions->knows_prototypes && !lua_iscfunction(L, -1);
}

/* Finds or adds the function at the top of the stack. */
static uint32_t found_or_added(scr_functions *functions, lua_State *L,
                               const scr_function *wanted) {
  const uint32_t number = *slot_of(functions, wanted);
  if (number) return number - 1;
  const uint32_t added = add(functions, wanted);
  if (added == SCR_NONE || wanted->entry || !functions->counts_lines) return added;
  return scr_lines_init(&functions->list[added].lines, L, wanted->first) ? added
                                                                        : SCR_NONE;
}

/* The same without a lookup by address. */
static uint32_t number_by_content(scr_functions *functions, lua_State *L) {
  lua_Debug ar;
  scr_function wanted = described(L, &ar);
  if (has_code(functions, L))
    set_code(functions, &wanted, scr_checksum(&functions->crc, L));
  const uint32_t number = found_or_added(functions, L, &wanted);
  if (lua_topointer(L, -1) == functions->zone_closure) functions->zone = number;
  return number;
}

/* The same for a closure whose address is not known. */
static uint32_t number_of(scr_functions *functions, scr_closures *closures,
                          lua_State *L) {
  if (!has_code(functions, L)) return number_by_content(functions, L);
  const void *prototype = scr_prototype_of(lua_topointer(L, -1));
  scr_known *known = scr_closures_prototype(closures, prototype);
  if (known->address == prototype) return known->number;
  const uint32_t number = number_by_content(functions, L);
  if (number != SCR_NONE) *known = (scr_known){prototype, number};
  return number;
}

uint32_t scr_function_number(scr_functions *functions, scr_closures *closures,
                             lua_State *L, lua_Debug *ar) {
  if (functions->knows_calls) {
    const void *called = scr_called_closure(ar);
    const scr_known *found = scr_closures_at(closures, called);
    if (found->address == called) return found->number;
  }
  lua_getinfo(L, "f", ar);
  return scr_function_at_top(functions, closures, L);
}

uint32_t scr_function_at_top(scr_functions *functions, scr_closures *closures,
                             lua_State *L) {
  const void *closure = lua_topointer(L, -1);
  scr_known *known = scr_closures_at(closures, closure);
  const bool is_known = known->address == closure;
  const uint32_t number = is_known ? known->number : number_of(functions, closures, L);
  if (closures->knows_closures && number != SCR_NONE)
    *known = (scr_known){closure, number};
  lua_pop(L, 1);
  return number;
}

uint32_t scr_function_called(scr_functions *functions, scr_closures *closures,
                             lua_State *L, lua_Debug *ar) {
  const uint32_t number = scr_function_number(functions, closures, L, ar);
  if (number == SCR_NONE) return SCR_NONE;
  scr_function *f = &functions->list[number];
  if (f->asked < SCR_MOST_ASKED) learn_name(f, L, ar);
  return number;
}

uint32_t scr_function_find(scr_functions *functions, lua_State *L) {
  lua_Debug ar;
  scr_function wanted = described(L, &ar);
  /* This is much faster than the checksum of bytecode. */
  const bool may_be_known = wanted.entry || *alike(functions, &wanted) > 0;
  if (may_be_known && has_code(functions, L))
    set_code(functions, &wanted, scr_checksum(&functions->crc, L));
  const uint32_t found = may_be_known ? *slot_of(functions, &wanted) : 0;
  lua_pop(L, 1);
  return found ? found - 1 : SCR_NONE;
}

/* No function has this signature. */
#define ZONE UINT32_MAX

uint32_t scr_function_zone(scr_functions *functions, const lua_Debug *ar,
                           const char *name) {
  functions->crc.inverted = UINT32_MAX;
  gp_crc32_add(&functions->crc, (const unsigned char *)name, strlen(name));
  scr_function wanted = {.source = (char *)(uintptr_t)short_source(ar),
                         .signature = ZONE};
  set_code(functions, &wanted, gp_crc32_value(&functions->crc));
  const uint32_t known = *slot_of(functions, &wanted);
  if (known) return known - 1;
  const uint32_t number = add(functions, &wanted);
  if (number == SCR_NONE) return SCR_NONE;
  scr_function *zone = &functions->list[number];
  zone->begun = ar->currentline > 0 ? (uint32_t)ar->currentline : 1;
  if (asprintf(&zone->name, SCR_ZONE "%s", zone->code ? name : SCR_OTHERS) >= 0)
    return number;
  zone->name = NULL;
  return SCR_NONE;
}

uint32_t scr_function_c(scr_functions *functions, lua_CFunction entry, const char *name) {
  const scr_function wanted = {.entry = entry};
  const uint32_t known = *slot_of(functions, &wanted);
  if (known) return known - 1;
  const uint32_t number = add(functions, &wanted);
  const bool is_named =
      number != SCR_NONE && scr_function_name(&functions->list[number], name, 0);
  return is_named ? number : SCR_NONE;
}
