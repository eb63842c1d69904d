/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/zones.h"

#include "scripts/running_calls.h"

/* Zones that may be open while this thread is not recorded. */
static _Thread_local size_t unknown_zones;

/* Zones of a call that may be open in a pause: a call that ends is not noticed then. */
enum { MOST_IN_PAUSE = 64 };

uint32_t scr_zone_function(const scr_recording *r, const scr_frame *zone) {
  return r->with_c || r->events == 0 ? zone->context : (uint32_t)(uintptr_t)zone->record;
}

void scr_leave_zones(const scr_recording *r, scr_stack *stack, const void *call) {
  while (stack->count > 0 && scr_is_zone_of(&stack->frames[stack->count - 1], call))
    scr_leave(r, stack);
}

static size_t open_zones(const scr_stacks *stacks) {
  size_t count = 0;
  for (size_t i = 0; i < stacks->size; i++)
    for (size_t j = 0; j < stacks->list[i].count; j++)
      count += stacks->list[i].frames[j].is_zone;
  return count;
}

void scr_pause_zones(const scr_recording *r) {
  unknown_zones += open_zones(&r->stacks);
}

void scr_resume_zones(const scr_recording *r) {
  const size_t known = open_zones(&r->stacks);
  unknown_zones -= known < unknown_zones ? known : unknown_zones;
}

const void *scr_closure_of(lua_State *L, lua_Debug *ar) {
  lua_getinfo(L, "f", ar);
  const void *closure = lua_topointer(L, -1);
  lua_pop(L, 1);
  return closure;
}

/* Without counts, the `slot` of a zone has the position where it was begun, and this bit
 * if the zone is over. */
enum { IS_OVER = 1, POSITION = INT32_MAX - 1, HALF = 1 << 30 };

/* The position of a function in its bytecode, modulo that of the largest ones. */
static uint32_t position_of(const scr_recording *r, const lua_Debug *ar) {
  if (!r->functions.knows_calls) return 0;
  return (uint32_t)((uintptr_t)scr_call_of(ar)->instruction >> 1) & POSITION;
}

/* Whether a zone is over, now that its function has come to a position. */
static bool is_over(scr_frame *zone, uint32_t position) {
  const uint32_t begun = zone->slot & POSITION;
  if (position != begun && ((begun - position) & POSITION) < HALF) zone->slot |= IS_OVER;
  return zone->slot & IS_OVER;
}

void scr_mark_begin(const scr_recording *r, scr_frame *zone, const lua_Debug *ar) {
  zone->slot = position_of(r, ar) & INT32_MAX;
}

bool scr_is_again(const scr_recording *r, scr_frame *zone, const lua_Debug *ar) {
  const uint32_t position = position_of(r, ar);
  return position == (zone->slot & POSITION) || is_over(zone, position);
}

void scr_mark_end(const scr_recording *r, scr_frame *zone, const lua_Debug *ar) {
  if (is_over(zone, position_of(r, ar))) r->functions.list[zone->context].goes_on = true;
}

uint32_t scr_zone_context(scr_recording *r, lua_State *L, lua_Debug *ar,
                          uint32_t context, uint32_t line) {
  const scr_stack *stack = scr_stack_find(&r->stacks, L);
  if (!stack || stack->count == 0) return context;
  const void *closure = scr_closure_of(L, ar);
  for (size_t i = 0; i < stack->count && context != SCR_NONE; i++) {
    scr_frame *zone = &stack->frames[i];
    if (!scr_is_open_in(zone, ar->i_ci, closure)) continue;
    const bool goes_on = r->functions.list[zone->context].goes_on;
    if (is_over(zone, position_of(r, ar)) && !goes_on) continue;
    const uint32_t row = scr_paths_row(&r->paths, context, zone->context, line);
    context = row == SCR_NONE ? SCR_NONE : r->paths.records[row].entered;
  }
  return context;
}

/* --- while nothing is recorded ----------------------------------------------------- */

/* Returns the stack of a coroutine in a recording that may continue; NULL if there is
 * none. */
static scr_stack *paused_stack(lua_State *L, const scr_recording *paused) {
  return paused && paused->stacks.list ? scr_stack_find(&paused->stacks, L) : NULL;
}

/* Adds a zone to those of a call that had one before the pause: the innermost one is
 * ended first. */
static void begin_paused_zone(lua_State *L, lua_Debug *caller, const char *name) {
  scr_recording *paused = scr_ended_recording(L);
  scr_stack *stack = paused_stack(L, paused);
  if (!stack || stack->count == 0) return;
  const void *closure = scr_closure_of(L, caller);
  size_t open = 0;
  for (size_t i = 0; i < stack->count; i++)
    open += scr_is_open_in(&stack->frames[i], caller->i_ci, closure);
  if (open == 0 || open == MOST_IN_PAUSE) return;
  lua_getinfo(L, "Sl", caller);
  const uint32_t zone = scr_function_zone(&paused->functions, caller, name);
  if (zone == SCR_NONE || !scr_stack_push(stack, caller->i_ci, zone)) return;
  scr_frame *added = &stack->frames[stack->count - 1];
  added->is_zone = true;
  added->closure = closure;
  if (!paused->with_c) added->record = (void *)(uintptr_t)zone;
  if (paused->events == 0) scr_mark_begin(paused, added, caller);
}

void scr_begin_unknown_zone(lua_State *L, const char *name) {
  lua_Debug caller;
  unknown_zones++;
  if (!scr_current && lua_getstack(L, 1, &caller)) begin_paused_zone(L, &caller, name);
}

bool scr_end_paused_zone(lua_State *L, lua_Debug *ar) {
  scr_stack *stack = paused_stack(L, scr_ended_recording(L));
  if (!stack || stack->count == 0) return false;
  const void *closure = scr_closure_of(L, ar);
  size_t i = stack->count;
  while (i > 0 && !scr_is_open_in(&stack->frames[i - 1], ar->i_ci, closure)) i--;
  if (i == 0) return false;
  stack->frames[i - 1].is_zone = false;
  if (i == stack->count) stack->count--;
  return true;
}

bool scr_end_unknown_zone(lua_State *L) {
  lua_Debug caller;
  if (unknown_zones == 0) return false;
  unknown_zones--;
  if (!scr_current && lua_getstack(L, 1, &caller)) scr_end_paused_zone(L, &caller);
  return true;
}
