/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples without counts: the call path is that of the stack when the sample is taken. */
#include "scripts/recording.h"
#include "scripts/zones.h"

int scr_depth_of(lua_State *L) {
  lua_Debug ar;
  int low = 0, high = SCR_MOST_FRAMES;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (lua_getstack(L, middle, &ar))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Extends a path by the zone that the function zone has begun, called from a line. */
static uint32_t add_zone(scr_recording *r, lua_State *L, lua_Debug *ar,
                         uint32_t context, uint32_t *line) {
  const uint32_t zone = scr_zone_context(r, L, ar, context, *line);
  if (zone != context) *line = 0;
  return zone;
}

/* Extends a path by the frames of a coroutine, except the innermost `skipped` ones. Sets
 * *line to the line of the innermost frame. Leaves out the host's functions at the start
 * of a path. */
static uint32_t add_frames(scr_recording *r, lua_State *L, uint32_t context,
                           int skipped, uint32_t *line) {
  int level = scr_depth_of(L) - 1;
  if (level == SCR_MOST_FRAMES - 1) context = SCR_UNKNOWN;
  for (; level >= skipped && context != SCR_NONE; level--) {
    lua_Debug ar;
    if (!lua_getstack(L, level, &ar)) return SCR_NONE;
    const uint32_t function = scr_function_called(&r->functions, r->closures, L, &ar);
    if (function == SCR_NONE) return SCR_NONE;
    if (function == r->functions.zone) context = add_zone(r, L, &ar, context, line);
    if (function == r->functions.zone ||
        (context == SCR_START && r->functions.list[function].entry))
      continue;
    const uint32_t row = scr_paths_row(&r->paths, context, function, *line);
    context = row == SCR_NONE ? SCR_NONE : r->paths.records[row].entered;
    lua_getinfo(L, "l", &ar);
    *line = ar.currentline > 0 ? (uint32_t)ar.currentline : 0;
    context = scr_zone_context(r, L, &ar, context, *line);
  }
  return context;
}

/* Returns the context of the call that resumed a coroutine. */
static uint32_t context_of_resume(scr_recording *r, const scr_resume *resumed,
                                  uint32_t *line) {
  if (!resumed) return SCR_START;
  const uint32_t outer = context_of_resume(r, resumed->outer, line);
  return outer == SCR_NONE ? SCR_NONE : add_frames(r, resumed->L, outer, 0, line);
}

uint32_t scr_sampled_context(scr_recording *r, lua_State *L, int skipped,
                             uint32_t *line) {
  *line = 0;
  const uint32_t base = context_of_resume(r, r->resumed, line);
  return base == SCR_NONE ? SCR_NONE : add_frames(r, L, base, skipped, line);
}
