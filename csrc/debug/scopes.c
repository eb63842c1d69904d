/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scopes of a unit. */
#include "debug/scopes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void gp_scopes_free(gp_scopes *scopes) {
  gp_scope_ranges_free(&scopes->ranges);
  free(scopes->level);
  memset(scopes, 0, sizeof *scopes);
}

/* Returns the value of an attribute; 0 if it is missing, or too large. */
static uint32_t number_of(const gp_entry *entry, gp_role role) {
  gp_value value = entry->value[role];
  bool known = value.kind == GP_VALUE_NUMBER && value.number <= UINT32_MAX;
  return known ? (uint32_t)value.number : 0;
}

static bool add_scope(gp_scopes *scopes, const gp_entry *entry, uint32_t parent) {
  uint32_t function;
  gp_inline_map *map = scopes->map;
  const gp_range_lists *lists = scopes->from->lists;
  gp_function_names *functions = scopes->from->functions;
  uint64_t first = lists->count > 0 ? lists->range[0].low : UINT64_MAX;
  if (!gp_function_names_find(functions, entry, &function) ||
      !gp_inline_map_add_scope(map, parent, functions->name[function], first))
    return false;
  map->decl_file[map->count - 1] = function;
  gp_value file = entry->value[GP_ROLE_CALL_FILE];
  if (file.kind == GP_VALUE_NUMBER && file.number < GP_NONE)
    map->call_file[map->count - 1] = (uint32_t)file.number;
  map->call_line[map->count - 1] = number_of(entry, GP_ROLE_CALL_LINE);
  map->call_discriminator[map->count - 1] = number_of(entry, GP_ROLE_DISCRIMINATOR);
  return true;
}

/* Adds the scope of an entry, if it has wanted code. An inlined function without an
 * address may still contain others. Sets `*scope` to its number, or to GP_NONE. */
static bool enter(gp_scopes *scopes, const gp_entry *entry, uint32_t parent,
                  uint32_t *scope) {
  const gp_value *value = entry->value;
  size_t before = scopes->ranges.count;
  gp_range_lists *lists = scopes->from->lists;
  *scope = GP_NONE;
  const gp_entries *entries = scopes->from->entries;
  const gp_unit *unit = &entries->unit[entries->loaded];
  if (!gp_range_lists_read(lists, unit, value[GP_ROLE_LOW],
                           value[GP_ROLE_HIGH], value[GP_ROLE_RANGES]))
    return false;
  for (size_t i = 0; i < lists->count; i++)
    if (gp_range_meets(scopes->wanted, scopes->wanted_count, lists->range[i]) &&
        !gp_scope_ranges_add(&scopes->ranges, lists->range[i],
                             (uint32_t)scopes->map->count, scopes->rank))
      return false;
  if (scopes->ranges.count == before &&
      (parent == GP_NONE || entry->value[GP_ROLE_LOW].kind != GP_VALUE_NONE ||
       entry->value[GP_ROLE_RANGES].kind != GP_VALUE_NONE))
    return true;
  *scope = (uint32_t)scopes->map->count;
  return add_scope(scopes, entry, parent);
}

/* Finds the scope of an entry's children: the entry's own, or `outer`. */
static bool find_scope(gp_scopes *scopes, const gp_entry *entry, uint32_t outer,
                       uint32_t *scope) {
  *scope = outer;
  if (entry->tag == GP_TAG_SUBPROGRAM)
    return enter(scopes, entry, GP_NONE, scope);
  if (entry->tag == GP_TAG_INLINED && outer != GP_NONE)
    return enter(scopes, entry, outer, scope);
  return true;
}

/* Notes where a structure is declared; or a function, if it is in the structure, and has
 * no place of its own. */
static bool note_member(gp_scopes *scopes, const gp_entry *entry, size_t depth) {
  gp_function_names *functions = scopes->from->functions;
  gp_value file = entry->value[GP_ROLE_DECL_FILE];
  if (entry->tag == GP_TAG_STRUCTURE) {
    bool known = file.kind == GP_VALUE_NUMBER && file.number < GP_NONE &&
                 entry->has_children;
    scopes->structure = (gp_member){0, functions->entries->loaded,
                                    known ? (uint32_t)file.number : GP_NONE,
                                    number_of(entry, GP_ROLE_DECL_LINE)};
    scopes->members_depth = depth + 1;
  }
  if (entry->tag != GP_TAG_SUBPROGRAM || depth != scopes->members_depth ||
      scopes->structure.file == GP_NONE || file.kind != GP_VALUE_NONE ||
      entry->value[GP_ROLE_LINKAGE_NAME].kind != GP_VALUE_NONE)
    return true;
  scopes->structure.offset = entry->offset;
  return gp_function_names_add_member(functions, scopes->structure);
}

bool gp_scopes_read(gp_scopes *scopes, const gp_scope_source *from, uint32_t unit,
                    uint32_t rank) {
  gp_entry entry;
  size_t depth = 0;
  uint32_t scope;
  scopes->from = from;
  scopes->rank = rank;
  scopes->structure.file = GP_NONE;
  if (!gp_entries_load(from->entries, unit)) return false;
  while (gp_entries_next(from->entries, &entry)) {
    if (entry.tag == 0) {
      if (depth > 0) depth--;
      if (depth < scopes->members_depth) scopes->structure.file = GP_NONE;
      continue;
    }
    uint32_t outer = depth > 0 ? scopes->level[depth - 1] : GP_NONE;
    if (!note_member(scopes, &entry, depth) ||
        !find_scope(scopes, &entry, outer, &scope))
      return false;
    bool wanted = entry.tag == GP_TAG_INLINED && scope != GP_NONE;
    if (!wanted && gp_entries_skip_children(from->entries, &entry)) continue;
    if (!entry.has_children) continue;
    if (!GP_RESERVE(&scopes->level_capacity, depth + 1, GP_COLUMN(scopes->level)))
      return false;
    scopes->level[depth++] = scope;
  }
  scopes->map->gaps.damaged += gp_entries_damaged(from->entries);
  return true;
}
