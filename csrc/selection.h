/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions a stage is about.
 *
 * A pair of tables, one of functions to include and one of functions to exclude.
 * A table without any function in it counts as absent. As long as users cannot name
 * functions, only the machinery of profiling is in them (see profile.c).
 */
#ifndef GP_SELECTION_H
#define GP_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
