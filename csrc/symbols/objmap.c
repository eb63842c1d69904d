/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the object file of a symbol in a map. */
#include "symbols/objmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

/* --- the first matching line -------------------------------------------------- */

static gp_key name_key(const void *columns, uint32_t line) {
  const gp_symfile *lines = columns;
  return gp_text_key(lines->name[line]);
}

static uint32_t find_first(const gp_objmap *map, const char *name) {
  uint32_t line = gp_hash_find(&map->index, gp_text_key(name));
  return line != GP_NONE && strcmp(map->lines->name[line], name) == 0 ? line : GP_NONE;
}

static bool index_lines(gp_objmap *map) {
  const gp_symfile *lines = map->lines;
  for (uint32_t line = 0; line < lines->count; line++)
    if (find_first(map, lines->name[line]) == GP_NONE &&
        !gp_hash_add(&map->index, line))
      return false;
  return true;
}

/* --- GNU gprof's choice ------------------------------------------------------- */

static bool name_before(const void *context, uint32_t b, uint32_t a) {
  const gp_symfile *lines = context;
  return strcmp(lines->name[b], lines->name[a]) < 0;
}

/* GNU gprof's binary search returns the first match that it probes. If there are several
 * matches, the number of lines determines which one it is. */
static uint32_t find_any(const gp_objmap *map, const char *name) {
  size_t low = 0, high = map->lines->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int side = strcmp(name, map->lines->name[map->sorted[middle]]);
    if (side == 0) return map->sorted[middle];
    if (side > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return GP_NONE;
}

/* --- lookup, for either policy --------------------------------------------- */

bool gp_objmap_build(gp_objmap *map, const gp_symfile *lines, const gp_policy *policy) {
  *map = (gp_objmap){.lines = lines, .policy = policy};
  gp_hash_init(&map->index, name_key, lines);
  bool done = policy->map_first_line && index_lines(map);
  if (!policy->map_first_line) {
    map->sorted = gp_identity(lines->count);
    done = map->sorted && gp_sort(map->sorted, lines->count, name_before, lines);
  }
  if (!done) gp_objmap_free(map);
  return done;
}

void gp_objmap_free(gp_objmap *map) {
  gp_hash_free(&map->index);
  free(map->sorted);
  map->sorted = NULL;
}

uint32_t gp_objmap_find(const gp_objmap *map, const char *name) {
  return map->policy->map_first_line ? find_first(map, name) : find_any(map, name);
}

bool gp_objmap_begins_object(const gp_objmap *map, uint32_t line) {
  const char *const *object = map->lines->object;
  return line == 0 || strcmp(object[line - 1], object[line]) != 0;
}
