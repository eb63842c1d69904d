/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/line_counts.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for a line, and marks it as one with code. */
static bool mark(scr_lines *lines, lua_Integer line) {
  const size_t at = (size_t)line - lines->first;
  if (at >= lines->size) {
    const size_t size = at + at / 2 + 16;
    uint64_t *counts = realloc(lines->counts, size * sizeof *counts);
    if (!counts) return false;
    for (size_t i = lines->size; i < size; i++) counts[i] = 0;
    lines->counts = counts;
    lines->size = size;
  }
  lines->counts[at] = 1;
  return true;
}

bool scr_lines_init(scr_lines *lines, lua_State *L, uint32_t first) {
  lua_Debug ar;
  *lines = (scr_lines){.first = first};
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &ar);
  if (strcmp(ar.source, "=?") == 0) return true;  /* stripped: "L" may crash Lua 5.4.4 */
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">L", &ar);  /* pushes a table: its keys are the lines */
  bool done = true;
  for (lua_pushnil(L); lua_istable(L, -2) && lua_next(L, -2); lua_pop(L, 1))
    done = done && mark(lines, lua_tointeger(L, -2));
  lua_pop(L, 1);
  if (!done) scr_lines_free(lines);
  return done;
}

void scr_lines_free(scr_lines *lines) {
  free(lines->counts);
  *lines = (scr_lines){0};
}
