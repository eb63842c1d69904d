/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions, by their entries in .debug_info. */
#include "debug/function_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* Compilers need three references or fewer. A cycle ends here. */
#define MAX_REFERENCES 12

static gp_key function_key(const void *columns, uint32_t row) {
  const gp_function_names *functions = columns;
  return (gp_key){functions->offset[row], functions->shared[row]};
}

void gp_function_names_init(gp_function_names *functions, gp_entries *entries,
                            gp_entries *supplementary, gp_source_names *names) {
  memset(functions, 0, sizeof *functions);
  functions->entries = entries;
  functions->supplementary = supplementary;
  functions->names = names;
  gp_hash_init(&functions->index, function_key, functions);
}

void gp_function_names_free(gp_function_names *functions) {
  free(functions->offset);
  free(functions->shared);
  free(functions->name);
  free(functions->unit);
  free(functions->file);
  free(functions->line);
  free(functions->last);
  free(functions->member);
  gp_hash_free(&functions->index);
  memset(functions, 0, sizeof *functions);
}

/* An entry, and where it is. */
typedef struct place {
  gp_entries *entries;
  uint32_t unit;
  gp_entry entry;
} place;

/* Returns a copy (free() it) of an entry's name; NULL if it has none. */
static char *read_name(const place *at, gp_role role) {
  gp_dwarf *dwarf = at->entries->dwarf;
  char *name = gp_dwarf_string(dwarf, &dwarf->info, &at->entries->unit[at->unit].layout,
                               at->entry.value[role]);
  if (name && name[0]) return name;
  free(name);
  return NULL;
}

/* Goes to the entry that a value refers to. False if there is none. */
static bool follow(gp_function_names *functions, place *at, gp_value reference) {
  if (reference.kind == GP_VALUE_SUP_ENTRY)
    at->entries = functions->supplementary;
  else if (reference.kind != GP_VALUE_ENTRY)
    return false;
  return at->entries &&
         gp_entries_at(at->entries, reference.number, &at->unit, &at->entry) &&
         at->entry.tag == GP_TAG_SUBPROGRAM;
}

static gp_value reference_of(const gp_entry *entry) {
  gp_value specification = entry->value[GP_ROLE_SPECIFICATION];
  return specification.kind != GP_VALUE_NONE ? specification
                                             : entry->value[GP_ROLE_ORIGIN];
}

/* A place in the source: see gp_function_names. */
typedef struct declaration {
  uint32_t unit, file, line;
  uint64_t last;
} declaration;

/* Adds what an entry says of where its function is declared. The first entries with a
 * file and a line decide. */
static void declare(declaration *d, const gp_function_names *functions,
                    const place *at) {
  gp_value file = at->entry.value[GP_ROLE_DECL_FILE];
  gp_value line = at->entry.value[GP_ROLE_DECL_LINE];
  bool has_file = file.kind == GP_VALUE_NUMBER && file.number < GP_NONE;
  if (d->file == GP_NONE && has_file && at->entries == functions->entries) {
    d->unit = at->unit;
    d->file = (uint32_t)file.number;
  }
  if (d->line == 0 && line.kind == GP_VALUE_NUMBER && line.number <= UINT32_MAX)
    d->line = (uint32_t)line.number;
}

/* Returns the linkage name, if any entry has it; else the first name. */
static char *search(gp_function_names *functions, place *at, declaration *d) {
  char *name = NULL, *linkage_name = NULL;
  for (int left = MAX_REFERENCES; left > 0; left--) {
    declare(d, functions, at);
    if (!name) name = read_name(at, GP_ROLE_NAME);
    if (!linkage_name) linkage_name = read_name(at, GP_ROLE_LINKAGE_NAME);
    if (linkage_name && d->file != GP_NONE) break;
    if (!follow(functions, at, reference_of(&at->entry))) break;
  }
  if (!linkage_name) {
    if (at->entries == functions->entries) d->last = at->entry.offset;
    return name;
  }
  free(name);
  return linkage_name;
}

/* Adds a function, and the name that `at` leads to. */
static bool add(gp_function_names *functions, gp_key key, place *at) {
  declaration d = {GP_NONE, GP_NONE, 0, UINT64_MAX};
  char *name = search(functions, at, &d);
  uint32_t number = GP_NONE;
  const gp_entries *shared = functions->supplementary;
  bool done = !gp_dwarf_no_memory(functions->entries->dwarf) &&
              !(shared && gp_dwarf_no_memory(shared->dwarf)) &&
              GP_RESERVE(&functions->capacity, functions->count + 1,
                         GP_COLUMN(functions->offset), GP_COLUMN(functions->shared),
                         GP_COLUMN(functions->name), GP_COLUMN(functions->unit),
                         GP_COLUMN(functions->file), GP_COLUMN(functions->line),
                         GP_COLUMN(functions->last));
  done = done && (!name || gp_source_names_add(functions->names, name, &number));
  free(name);
  if (!done) return false;
  size_t row = functions->count++;
  functions->offset[row] = key.first;
  functions->shared[row] = key.second;
  functions->name[row] = number;
  functions->unit[row] = d.unit;
  functions->file[row] = d.file;
  functions->line[row] = d.line;
  functions->last[row] = d.last;
  return gp_hash_add(&functions->index, (uint32_t)row);
}

bool gp_function_names_find(gp_function_names *functions, const gp_entry *entry,
                            uint32_t *row) {
  gp_value origin = reference_of(entry);
  bool refers = entry->value[GP_ROLE_NAME].kind == GP_VALUE_NONE &&
                entry->value[GP_ROLE_LINKAGE_NAME].kind == GP_VALUE_NONE &&
                origin.kind != GP_VALUE_NONE;
  gp_key key = {refers ? origin.number : entry->offset,
                refers && origin.kind == GP_VALUE_SUP_ENTRY};
  *row = gp_hash_find(&functions->index, key);
  if (*row != GP_NONE) return true;
  place at = {functions->entries, functions->entries->loaded, *entry};
  if (!add(functions, key, &at)) return false;
  *row = (uint32_t)functions->count - 1;
  return true;
}

/* --- members ------------------------------------------------------------------- */

bool gp_function_names_add_member(gp_function_names *functions, gp_member member) {
  if (!GP_RESERVE(&functions->member_capacity, functions->member_count + 1,
                  GP_COLUMN(functions->member)))
    return false;
  functions->member[functions->member_count++] = member;
  return true;
}

static bool member_before(const void *functions, size_t row, uint64_t offset) {
  return ((const gp_function_names *)functions)->member[row].offset < offset;
}

void gp_function_names_place_members(gp_function_names *functions) {
  for (size_t row = 0; row < functions->count; row++) {
    uint64_t offset = functions->last[row];
    if (functions->file[row] != GP_NONE || offset == UINT64_MAX) continue;
    size_t i = gp_search(functions, 0, functions->member_count, offset, member_before);
    if (i == functions->member_count || functions->member[i].offset != offset) continue;
    functions->unit[row] = functions->member[i].unit;
    functions->file[row] = functions->member[i].file;
    functions->line[row] = functions->member[i].line;
  }
}
