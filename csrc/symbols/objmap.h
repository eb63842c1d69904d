/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the object file of a symbol in a map.
 *
 * A symbol may be in several lines of a map; C++ inline functions often are. Like a
 * linker, we use the first line. GNU gprof instead sorts the lines by symbol, keeps lines
 * with the same symbol in file order, and takes the first match that its binary search
 * probes.
 */
#ifndef GP_SYMBOLS_OBJMAP_H
#define GP_SYMBOLS_OBJMAP_H

#include "base/hash.h"
#include "symbols/symfile.h"

typedef struct gp_objmap {
  const gp_symfile *lines;
  const gp_policy *policy;
  gp_hash index;      /* with map_first_line: the first line of each symbol */
  uint32_t *sorted;   /* without map_first_line: all lines, sorted by symbol */
} gp_objmap;

/* Prepares lookups in the lines of a map. The addresses of `map` and `lines` must not
 * change. False if there is no memory. */
bool gp_objmap_build(gp_objmap *map, const gp_symfile *lines, const gp_policy *policy);
void gp_objmap_free(gp_objmap *map);

/* Returns the line for a symbol, or GP_NONE. */
uint32_t gp_objmap_find(const gp_objmap *map, const char *name);

/* Whether a line names a different object file than the line before it. */
bool gp_objmap_begins_object(const gp_objmap *map, uint32_t line);

#endif
