/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selections: which functions and calls each stage includes. */
#include "profile/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

static bool is_below(const void *rows, size_t i, uint64_t function) {
  return ((const uint32_t *)rows)[i] < function;
}

static bool has_function(const gp_functions *functions, uint32_t function) {
  if (functions->all) return true;
  size_t i = gp_search(functions->rows, 0, functions->count, function, is_below);
  return i < functions->count && functions->rows[i] == function;
}

/* Whether a call is in the table. Marks the entries that contain it. */
static bool match_arc(gp_arc_table *table, uint32_t caller, uint32_t callee) {
  bool found = false;
  for (size_t i = 0; i < table->count; i++) {
    gp_arc_entry *entry = &table->entries[i];
    if (found && entry->matched) continue;
    if (!has_function(&entry->callers, caller)) continue;
    if (!has_function(&entry->callees, callee)) continue;
    entry->matched = found = true;
  }
  return found;
}

bool gp_select_arc(gp_arc_selection *selection, uint32_t caller, uint32_t callee) {
  bool included = match_arc(&selection->include, caller, callee);
  bool excluded = match_arc(&selection->exclude, caller, callee);
  return selection->include.count > 0 ? included : !excluded;
}

static void free_table(gp_arc_table *table) {
  for (size_t i = 0; i < table->count; i++) {
    free(table->entries[i].callers.rows);
    free(table->entries[i].callees.rows);
  }
  free(table->entries);
}

void gp_selections_free(gp_selections *selections) {
  for (size_t i = 0; i < GP_STAGES; i++) {
    free(selections->of[i].include);
    free(selections->of[i].exclude);
  }
  free_table(&selections->arcs.include);
  free_table(&selections->arcs.exclude);
  memset(selections, 0, sizeof *selections);
}
