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

bool gp_has_arc(const gp_arc_table *table, uint32_t caller, uint32_t callee) {
  for (size_t i = 0; i < table->count; i++)
    if (has_function(&table->entries[i].callers, caller) &&
        has_function(&table->entries[i].callees, callee))
      return true;
  return false;
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
