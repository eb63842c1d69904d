/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scopes of a unit: its subprograms, and the functions that were inlined into them.
 */
#ifndef GP_DEBUG_SCOPES_H
#define GP_DEBUG_SCOPES_H

#include "debug/function_names.h"
#include "debug/range_lists.h"
#include "debug/scope_ranges.h"

/* Where units are read from: the image, or a split file. */
typedef struct gp_scope_source {
  gp_entries *entries;
  gp_range_lists *lists;
  gp_function_names *functions;
} gp_scope_source;

typedef struct gp_scopes {
  const gp_scope_source *from;
  gp_inline_map *map;         /* takes the scopes */
  gp_scope_ranges ranges;     /* their ranges with wanted code */
  const gp_range *wanted;     /* ascending, disjoint */
  size_t wanted_count;
  uint32_t rank;              /* of the unit that is being read */
  gp_member structure;        /* where the last one is declared, */
  size_t members_depth;       /* and the level of its members */
  size_t level_capacity;
  uint32_t *level;            /* for each level of nesting in the entries: its scope, or
                                 GP_NONE outside of wanted subprograms */
} gp_scopes;

void gp_scopes_free(gp_scopes *scopes);

/* Adds the scopes of a unit of a source that have wanted code, and those in which these
 * are inlined. Where units overlap, the one with the lowest `rank` is used. In the map's
 * rows of the unit, `call_file` is a number in the unit's table of files, and
 * `decl_file` the row of the function in `functions`. False if there is no memory. */
bool gp_scopes_read(gp_scopes *scopes, const gp_scope_source *from, uint32_t unit,
                    uint32_t rank);

#endif
