/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maps of object files, looked up by symbol.
 *
 * A symbol may stand in several lines of a map, as inline functions of C++ do. The first
 * one counts, as it does for a linker. GNU gprof sorts the lines by symbol, equal ones in
 * the order of the file, and takes the first match of a binary search: which one counts
 * depends on the number of lines.
 */
#ifndef GP_SYMBOLS_OBJMAP_H
#define GP_SYMBOLS_OBJMAP_H

#include "base/hash.h"
#include "symbols/symfile.h"

typedef struct gp_objmap {
  const gp_symfile *lines;
  const gp_policy *policy;
  gp_hash index;      /* with map_first_line: the lines that count, by symbol */
  uint32_t *sorted;   /* without it: all lines by symbol */
} gp_objmap;

/* Prepares lookups in the lines of a map. They and `map` must stay where they are. False
 * if there is no memory. */
bool gp_objmap_build(gp_objmap *map, const gp_symfile *lines, const gp_policy *policy);
void gp_objmap_free(gp_objmap *map);

/* The line that counts for a symbol, or GP_NONE. */
uint32_t gp_objmap_find(const gp_objmap *map, const char *name);

/* Whether a line names another object file than the line before it. */
bool gp_objmap_begins_object(const gp_objmap *map, uint32_t line);

#endif
