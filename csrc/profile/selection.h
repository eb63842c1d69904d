/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions a stage is about.
 *
 * A pair of tables, one of functions to include and one of functions to exclude. A
 * table without any function in it counts as absent. Calls are selected likewise, by
 * tables of pairs: which callers, calling which callees.
 */
#ifndef GP_PROFILE_SELECTION_H
#define GP_PROFILE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stages that functions are selected for. */
typedef enum gp_stage {
  GP_FLAT,          /* has a row in the flat profile, and its samples count */
  GP_PRINT,         /* has an entry in the call graph */
  GP_TIME,          /* its time counts there */
  GP_ANNOTATION,    /* its source is annotated */
  GP_EXECUTIONS,    /* its executions are listed */
  GP_STAGES
} gp_stage;

typedef struct gp_selection {
  uint8_t *include;      /* per symbol: is in the table; NULL if none is */
  uint8_t *exclude;
} gp_selection;

/* Is named to be included. */
static inline bool gp_is_included(const gp_selection *selection, uint32_t symbol) {
  return selection->include && selection->include[symbol];
}

/* Is named to be excluded. */
static inline bool gp_is_excluded(const gp_selection *selection, uint32_t symbol) {
  return selection->exclude && selection->exclude[symbol];
}

/* An include table decides alone; the exclude table counts where there is none. */
static inline bool gp_is_selected(const gp_selection *selection, uint32_t symbol) {
  return selection->include ? selection->include[symbol] != 0
                            : !gp_is_excluded(selection, symbol);
}

/* Functions, by number, ascending; or all of them. */
typedef struct gp_functions {
  bool all;
  size_t count;
  uint32_t *rows;
} gp_functions;

/* Calls: of any of the callees by any of the callers. */
typedef struct gp_arc_entry {
  gp_functions callers, callees;
} gp_arc_entry;

/* A table of calls. It is absent if it has no entries, but not if these match nothing. */
typedef struct gp_arc_table {
  gp_arc_entry *entries;
  size_t count;
} gp_arc_table;

typedef struct gp_arc_selection {
  gp_arc_table include, exclude;
} gp_arc_selection;

/* Whether a call is in the table. */
bool gp_has_arc(const gp_arc_table *table, uint32_t caller, uint32_t callee);

/* An include table decides alone, as above. */
static inline bool gp_is_arc_selected(const gp_arc_selection *selection, uint32_t caller,
                                      uint32_t callee) {
  return selection->include.count > 0 ? gp_has_arc(&selection->include, caller, callee)
                                      : !gp_has_arc(&selection->exclude, caller, callee);
}

/* All that users can select. */
typedef struct gp_selections {
  gp_selection of[GP_STAGES];
  gp_arc_selection arcs;
} gp_selections;

void gp_selections_free(gp_selections *selections);

#endif
