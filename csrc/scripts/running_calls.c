/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/running_calls.h"

uint32_t scr_line_of(lua_State *L, lua_Debug *ar) {
  lua_getinfo(L, "l", ar);
  return ar->currentline > 0 ? (uint32_t)ar->currentline : 0;
}

/* Counts the call of a function; false if there is no memory. */
static bool count_call(scr_recording *r, scr_stack *stack, const lua_Debug *ar,
                       uint32_t function, uint32_t line) {
  const uint32_t row =
      scr_paths_row(&r->paths, scr_stack_context(stack), function, line);
  if (row == SCR_NONE) return false;
  scr_record *record = &r->paths.records[row];
  record->count++;
  if (ar->event != LUA_HOOKTAILCALL || stack->count == 0)
    return scr_stack_push(stack, ar->i_ci, record->entered);
  stack->frames[stack->count - 1].context = record->entered;
  return true;
}

bool scr_enter(scr_recording *r, scr_stack *stack, const lua_Debug *ar,
               uint32_t function, uint32_t line) {
  return r->with_c ? scr_mixed_call(stack, ar, function, line)
                   : count_call(r, stack, ar, function, line);
}
