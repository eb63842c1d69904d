/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/continued.h"

#include <string.h>

#include "scripts/running_calls.h"
#include "scripts/zones.h"

/* Puts a function or zone, called from a line of the one below, on a stack; false if
 * there is no memory. */
static bool put(scr_recording *r, scr_stack *stack, const void *call, uint32_t function,
                uint32_t line) {
  if (r->with_c) return scr_mixed_put(stack, call, function, line);
  const uint32_t row =
      scr_paths_row(&r->paths, scr_stack_context(stack), function, line);
  return row != SCR_NONE && scr_stack_push(stack, call, r->paths.records[row].entered);
}

/* Puts the zones of a call that were open before on the stack. */
static bool put_zones(scr_recording *r, lua_State *L, scr_stack *stack,
                      const scr_stack *former, lua_Debug *ar, uint32_t line) {
  const void *closure = former->count > 0 ? scr_closure_of(L, ar) : NULL;
  for (size_t i = 0; i < former->count; i++) {
    const scr_frame *zone = &former->frames[i];
    if (!scr_is_open_in(zone, ar->i_ci, closure)) continue;
    if (!put(r, stack, ar->i_ci, scr_zone_function(r, zone), line)) return false;
    scr_frame *added = &stack->frames[stack->count - 1];
    added->is_zone = true;
    added->closure = closure;
    if (!r->with_c) added->record = zone->record;
  }
  return true;
}

/* Returns the number of the innermost functions that are not shown: the calling C
 * function, and those in the Lua file that calls it. */
static int own_functions(lua_State *L, int depth) {
  const char *source = NULL;
  int level = 1;
  for (lua_Debug ar; level < depth && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "S", &ar);
    if (source && strcmp(ar.source, source) != 0) break;
    source = ar.source;
  }
  return level;
}

/* Puts a function and its zones on a stack, called from a line; sets that to the line
 * which it executes. */
static bool put_function(scr_recording *r, lua_State *L, scr_stack *stack,
                         const scr_stack *former, lua_Debug *ar, uint32_t *line) {
  const uint32_t function = scr_function_called(&r->functions, r->closures, L, ar);
  if (function == SCR_NONE) return false;
  if (function == r->functions.zone) {
    if (!scr_share(r, stack, ar->i_ci)) return false;
  } else {
    if (!put(r, stack, ar->i_ci, function, *line)) return false;
    *line = scr_line_of(L, ar);
  }
  return put_zones(r, L, stack, former, ar, *line);
}

/* Puts the functions on a stack, from the outermost one to that of a level. The innermost
 * `own` ones are not shown. */
static bool put_functions(scr_recording *r, lua_State *L, scr_stack *stack,
                          const scr_stack *former, int last, int own) {
  uint32_t line = 0;
  for (int level = scr_depth_of(L) - 1; level >= last; level--) {
    lua_Debug ar;
    const bool done = lua_getstack(L, level, &ar) &&
                      (level < own ? scr_share(r, stack, ar.i_ci)
                                   : put_function(r, L, stack, former, &ar, &line));
    if (!done) return false;
  }
  return true;
}

bool scr_continue(scr_recording *r, lua_State *L, const scr_stack *former) {
  scr_stack *stack = scr_stack_of(&r->stacks, L, former->base);
  if (!stack) return false;
  if (r->with_c) scr_mixed_base(stack, former);
  r->stack = stack;
  stack->begun = true;
  return put_functions(r, L, stack, former, 0, own_functions(L, scr_depth_of(L)));
}

bool scr_join(scr_recording *r, lua_State *L, scr_stack *stack, const lua_Debug *ar) {
  static const scr_stack none;
  const bool is_call = ar->event == LUA_HOOKCALL || ar->event == LUA_HOOKTAILCALL;
  return put_functions(r, L, stack, &none, is_call, 0);
}
