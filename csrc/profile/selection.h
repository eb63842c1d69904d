/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selections: which functions and calls each stage includes.
 *
 * A selection is a table of functions to include and one of functions to exclude. An
 * empty table is treated as absent. Calls are selected in the same way, by tables of
 * callers and their callees.
 */
#ifndef GP_PROFILE_SELECTION_H
#define GP_PROFILE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stages. Functions are selected for each stage separately. */
typedef enum gp_stage {
  GP_FLAT,          /* rows of the flat profile, and samples in its total */
  GP_PRINT,         /* entries of the call graph */
  GP_TIME,          /* time included in the call graph */
  GP_ANNOTATION,    /* annotated source */
  GP_EXECUTIONS,    /* execution counts */
  GP_STAGES
} gp_stage;

typedef struct gp_selection {
  uint8_t *include;      /* for each symbol: 1 if in the table. NULL: no table */
  uint8_t *exclude;
} gp_selection;

static inline bool gp_is_included(const gp_selection *selection, uint32_t symbol) {
  return selection->include && selection->include[symbol];
}

static inline bool gp_is_excluded(const gp_selection *selection, uint32_t symbol) {
  return selection->exclude && selection->exclude[symbol];
}

/* Whether a symbol is selected: by the include table if there is one, or else by the
 * exclude table. */
static inline bool gp_is_selected(const gp_selection *selection, uint32_t symbol) {
  return selection->include ? selection->include[symbol] != 0
                            : !gp_is_excluded(selection, symbol);
}

/* A set of functions: ascending symbol numbers, or all functions. */
typedef struct gp_functions {
  bool all;
  size_t count;
  uint32_t *rows;
} gp_functions;

/* The calls from any of the callers to any of the callees. */
typedef struct gp_arc_entry {
  gp_functions callers, callees;
  bool matched;  /* whether gp_select_arc was given such a call */
} gp_arc_entry;

/* A table of calls. A table without entries counts as absent; a table whose entries match
 * nothing does not. */
typedef struct gp_arc_table {
  gp_arc_entry *entries;
  size_t count;
} gp_arc_table;

typedef struct gp_arc_selection {
  gp_arc_table include, exclude;
} gp_arc_selection;

/* Whether a call is selected: by the include table if there is one, or else by the
 * exclude table. Marks the entries of both tables that contain the call. */
bool gp_select_arc(gp_arc_selection *selection, uint32_t caller, uint32_t callee);

/* All selections that users can make. */
typedef struct gp_selections {
  gp_selection of[GP_STAGES];
  gp_arc_selection arcs;
} gp_selections;

void gp_selections_free(gp_selections *selections);

#endif
