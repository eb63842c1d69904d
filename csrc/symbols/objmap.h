/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maps of object files, looked up by symbol.
 *
 * A symbol may stand in several lines of a map, as inline functions of C++ do. The first
 * one counts, as it does for a linker. GNU gprof sorts the lines by symbol, equal ones as
 * they stand, and halves them until it meets one with the symbol: so which one counts
 * there is a matter of how many lines there are.
 */
#ifndef GP_SYMBOLS_OBJMAP_H
#define GP_SYMBOLS_OBJMAP_H

#include "base/hash.h"
#include "symbols/symfile.h"

typedef struct gp_objmap {
  const gp_symfile *lines;
  bool gnu_compat;
  gp_hash index;    /* the lines that count, by symbol; not under gnu_compat */
  uint32_t *sorted;  /* the lines by symbol; under gnu_compat only */
} gp_objmap;

/* Prepares lookups in the lines of a map. They and `map` must stay where they are. False
 * if there is no memory. */
bool gp_objmap_build(gp_objmap *map, const gp_symfile *lines, bool gnu_compat);
void gp_objmap_free(gp_objmap *map);

/* The line that counts for a symbol, or GP_NONE. */
uint32_t gp_objmap_find(const gp_objmap *map, const char *name);

/* Whether a line names another object file than the line before it. */
bool gp_objmap_begins_object(const gp_objmap *map, uint32_t line);

#endif
