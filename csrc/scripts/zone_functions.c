/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions zone, zone_begin and zone_end. */
#include <lauxlib.h>
#include <string.h>

#include "scripts/running_calls.h"
#include "scripts/zones.h"

static scr_frame *top_of(const scr_stack *stack) {
  return &stack->frames[stack->count - 1];
}

/* --- with counts ------------------------------------------------------------------- */

/* The hook has put these functions on the stack as a part of their caller: the frame
 * `own` in what follows. */

/* Returns the stack of the coroutine if its top is the frame of the calling C function;
 * otherwise the coroutine is not recorded. */
static scr_stack *recorded_stack(scr_recording *r, lua_State *L, const void *own) {
  if (r->running != L || lua_gethook(L) != scr_hook) return NULL;
  scr_stack *stack = scr_stack_find(&r->stacks, L);
  return stack && stack->count > 0 && top_of(stack)->call == own ? stack : NULL;
}

/* Begins a zone in a call, at a line. */
static bool begin_counted(scr_recording *r, lua_State *L, scr_stack *stack,
                          lua_Debug *caller, uint32_t zone, uint32_t line,
                          const void *own) {
  stack->count--;
  const lua_Debug call = {.event = LUA_HOOKCALL, .i_ci = caller->i_ci};
  if (!scr_enter(r, stack, &call, zone, line)) return false;
  top_of(stack)->is_zone = true;
  top_of(stack)->closure = scr_closure_of(L, caller);
  if (!r->with_c) top_of(stack)->record = (void *)(uintptr_t)zone;
  return scr_share(r, stack, own);
}

/* Returns the number of the innermost zone of a call; SCR_NONE if it has none. */
static uint32_t zone_below_own(const scr_recording *r, const scr_stack *stack,
                               const void *call) {
  if (stack->count < 2) return SCR_NONE;
  const scr_frame *zone = &stack->frames[stack->count - 2];
  return scr_is_zone_of(zone, call) ? scr_zone_function(r, zone) : SCR_NONE;
}

static bool end_counted(scr_recording *r, scr_stack *stack, const void *own) {
  stack->count--;
  scr_leave(r, stack);
  return scr_share(r, stack, own);
}

/* --- without counts ---------------------------------------------------------------- */

/* Removes the zones whose call has ended. Zones of very deep calls are lost, too. */
static void sweep(lua_State *L, scr_stack *stack) {
  size_t kept = 0;
  const int depth = scr_depth_of(L);
  for (size_t i = 0; i < stack->count; i++) {
    lua_Debug ar;
    bool is_open = false;
    for (int level = 0; level < depth && !is_open && lua_getstack(L, level, &ar); level++)
      is_open = scr_is_open_in(&stack->frames[i], ar.i_ci, scr_closure_of(L, &ar));
    if (is_open) stack->frames[kept++] = stack->frames[i];
  }
  stack->count = kept;
}

/* If the zone was begun in the call, but has been left by an error, and the same call
 * came again: that zone, and those in it, have ended. */
static void end_former(const scr_recording *r, scr_stack *stack, const lua_Debug *caller,
                       const void *closure, uint32_t zone) {
  for (size_t i = 0; i < stack->count; i++)
    if (scr_is_open_in(&stack->frames[i], caller->i_ci, closure) &&
        stack->frames[i].context == zone && scr_is_again(r, &stack->frames[i], caller))
      stack->count = i;
}

static bool begin_sampled(scr_recording *r, lua_State *L, lua_Debug *caller,
                          uint32_t zone) {
  scr_stack *stack = scr_stack_of(&r->stacks, L, SCR_START);
  if (!stack) return false;
  const void *closure = scr_closure_of(L, caller);
  end_former(r, stack, caller, closure, zone);
  if (stack->count == stack->capacity) sweep(L, stack);
  if (!scr_stack_push(stack, caller->i_ci, zone)) return false;
  top_of(stack)->is_zone = true;
  top_of(stack)->closure = closure;
  scr_mark_begin(r, top_of(stack), caller);
  return true;
}

/* Returns the innermost zone of a call; NULL if it has none. */
static scr_frame *sampled_zone(const scr_stack *stack, lua_State *L, lua_Debug *caller) {
  const void *closure = scr_closure_of(L, caller);
  for (size_t i = stack ? stack->count : 0; i > 0; i--)
    if (scr_is_open_in(&stack->frames[i - 1], caller->i_ci, closure))
      return &stack->frames[i - 1];
  return NULL;
}

/* Zones after it have ended. A coroutine without zones needs no stack. */
static void end_sampled(scr_recording *r, lua_State *L, const scr_frame *zone) {
  scr_stack *stack = scr_stack_find(&r->stacks, L);
  stack->count = (size_t)(zone - stack->frames);
  if (stack->count == 0) scr_stack_drop(&r->stacks, L);
}

/* --- the functions ----------------------------------------------------------------- */

/* A recording that may be in the middle of a sample, which signals take, is not changed
 * meanwhile. */
static scr_recording *recording_of(lua_State *L) {
  scr_recording *r = scr_current;
  const bool is_own = r && r->active &&
                      lua_topointer(L, LUA_REGISTRYINDEX) == r->registry;
  return is_own ? r : NULL;
}

static bool begin(scr_recording *r, lua_State *L, lua_Debug *caller, const void *own,
                  const char *name) {
  scr_stack *stack = r->events != 0 ? recorded_stack(r, L, own) : NULL;
  if (r->events != 0 && !stack) {
    scr_begin_unknown_zone(L, name);
    return true;
  }
  lua_getinfo(L, "Sl", caller);
  const uint32_t zone = scr_function_zone(&r->functions, caller, name);
  if (zone == SCR_NONE) return false;
  if (!stack) return begin_sampled(r, L, caller, zone);
  return begin_counted(r, L, stack, caller, zone, scr_line_of(L, caller), own);
}

int scr_zone_begin(lua_State *L) {
  if (lua_type(L, 1) != LUA_TSTRING)
    return luaL_error(L, "recorder.zone_begin: name: string expected, got %s",
                      luaL_typename(L, 1));
  scr_recording *r = recording_of(L);
  lua_Debug own, caller;
  if (!r || !lua_getstack(L, 0, &own) || !lua_getstack(L, 1, &caller)) {
    scr_begin_unknown_zone(L, lua_tostring(L, 1));
    return 0;
  }
  r->in_hook = true;
  const bool done = begin(r, L, &caller, own.i_ci, lua_tostring(L, 1));
  scr_leave_hook(r);
  if (!done) scr_fail(r);
  return 0;
}

/* Raises an error if the zone to be ended, `zone`, is not the one that is named. */
static void check_name(lua_State *L, const scr_recording *r, uint32_t zone) {
  const scr_function *f = &r->functions.list[zone];
  const char *name = f->name + strlen(SCR_ZONE);
  if (!lua_isnoneornil(L, 1) && strcmp(luaL_checkstring(L, 1), name) != 0 && f->code)
    luaL_error(L, "recorder.zone_end: the innermost zone is '%s', not '%s'", name,
               lua_tostring(L, 1));
}

static int end_unknown(lua_State *L) {
  if (scr_end_unknown_zone(L)) return 0;
  return luaL_error(L, "recorder.zone_end: no zone is open in this function");
}

static int end_without_counts(lua_State *L, scr_recording *r, lua_Debug *caller) {
  scr_frame *zone = sampled_zone(scr_stack_find(&r->stacks, L), L, caller);
  if (!zone) return end_unknown(L);
  check_name(L, r, zone->context);
  scr_mark_end(r, zone, caller);
  r->in_hook = true;
  end_sampled(r, L, zone);
  scr_leave_hook(r);
  return 0;
}

int scr_zone_end(lua_State *L) {
  scr_recording *r = recording_of(L);
  lua_Debug own, caller;
  if (!r || !lua_getstack(L, 0, &own) || !lua_getstack(L, 1, &caller))
    return end_unknown(L);
  if (r->events == 0) return end_without_counts(L, r, &caller);
  scr_stack *stack = recorded_stack(r, L, own.i_ci);
  const uint32_t zone = stack ? zone_below_own(r, stack, caller.i_ci) : SCR_NONE;
  if (zone == SCR_NONE) return end_unknown(L);
  check_name(L, r, zone);
  r->in_hook = true;
  if (!end_counted(r, stack, own.i_ci)) scr_fail(r);
  scr_leave_hook(r);
  return 0;
}

/* --- the function zone ------------------------------------------------------------- */

static const char zone_key;   /* of the registry */

int scr_zone(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &zone_key) == LUA_TFUNCTION) return 1;
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &zone_key);
  return 1;
}

void scr_find_zone(scr_recording *r, lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &zone_key);
  r->functions.zone_closure = lua_topointer(L, -1);
  lua_pop(L, 1);
}

/* Fills in the innermost function of the program that has called zone, whose file the
 * zone belongs to; the outermost function if there is none, as after a tail call of zone
 * in a coroutine. */
static void find_caller(const scr_recording *r, lua_State *L, lua_Debug *caller) {
  for (int level = 1; lua_getstack(L, level, caller); level++) {
    lua_getinfo(L, "Sl", caller);
    const bool is_zone = scr_closure_of(L, caller) == r->functions.zone_closure;
    if (*caller->what != 'C' && !is_zone) break;
  }
}

/* A former zone of the same call was left by an error. */
static bool open_sampled(scr_recording *r, lua_State *L, lua_Debug *zone_call,
                         uint32_t zone) {
  scr_stack *stack = scr_stack_find(&r->stacks, L);
  for (size_t i = 0; stack && i < stack->count; i++)
    if (scr_is_zone_of(&stack->frames[i], zone_call->i_ci)) stack->count = i;
  return begin_sampled(r, L, zone_call, zone);
}

/* Begins a zone in a call of the function zone. `own`: see above. */
static bool open_zone(scr_recording *r, lua_State *L, lua_Debug *zone_call,
                      const void *own, const char *name) {
  lua_Debug caller;
  scr_stack *stack = r->events != 0 ? recorded_stack(r, L, own) : NULL;
  if (r->events != 0 && !stack) return true;
  find_caller(r, L, &caller);
  const uint32_t zone = scr_function_zone(&r->functions, &caller, name);
  if (zone == SCR_NONE) return false;
  if (!stack) return open_sampled(r, L, zone_call, zone);
  const uint32_t line = lua_getstack(L, 2, &caller) ? scr_line_of(L, &caller) : 0;
  return begin_counted(r, L, stack, zone_call, zone, line, own);
}

/* Raises an error in the function that has called zone. */
static int fail_argument(lua_State *L, const char *name, const char *kind, int index) {
  luaL_where(L, 2);
  lua_pushfstring(L, "recorder.zone: %s: %s expected, got %s", name, kind,
                  luaL_typename(L, index));
  lua_concat(L, 2);
  return lua_error(L);
}

int scr_zone_open(lua_State *L) {
  if (lua_type(L, 1) != LUA_TSTRING) return fail_argument(L, "name", "string", 1);
  if (lua_isnoneornil(L, 2)) return fail_argument(L, "f", "function", 2);
  scr_recording *r = recording_of(L);
  lua_Debug own, zone_call;
  if (!r || !lua_getstack(L, 0, &own) || !lua_getstack(L, 1, &zone_call)) return 0;
  r->in_hook = true;
  const bool done = open_zone(r, L, &zone_call, own.i_ci, lua_tostring(L, 1));
  scr_leave_hook(r);
  if (!done) scr_fail(r);
  return 0;
}

/* With counts, the hook ends the zone when zone returns. */
int scr_zone_close(lua_State *L) {
  scr_recording *r = recording_of(L);
  lua_Debug zone_call;
  if (!lua_getstack(L, 1, &zone_call)) return lua_gettop(L);
  if (!r) scr_end_paused_zone(L, &zone_call);
  scr_stack *stack = r && r->events == 0 ? scr_stack_find(&r->stacks, L) : NULL;
  scr_frame *zone = stack ? sampled_zone(stack, L, &zone_call) : NULL;
  if (!zone) return lua_gettop(L);
  r->in_hook = true;
  end_sampled(r, L, zone);
  scr_leave_hook(r);
  return lua_gettop(L);
}
