/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's debug.sethook. */
#include "scripts/program_hooks.h"

#include <string.h>

#include "scripts/continued.h"
#include "scripts/recording.h"
#include "scripts/running_calls.h"

/* What debug.gethook returns of a hook in C. */
static const char external[] = "external hook";

/* Returns the recording of a state that sets hooks for events; NULL if there is none. */
static scr_recording *recording_of(lua_State *L) {
  scr_recording *r = scr_current;
  const bool is_own = r && r->active &&
                      lua_topointer(L, LUA_REGISTRYINDEX) == r->registry;
  return is_own && (r->events != 0 || r->period > 0) ? r : NULL;
}

/* The coroutine that runs is recorded again: what it has called meanwhile is not known,
 * nor are the lines of the time. */
static void rejoin(scr_recording *r, lua_State *L) {
  const lua_Debug from_here = {.event = LUA_HOOKRET};
  __atomic_store_n(&r->pending, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&r->collected, 0, __ATOMIC_RELAXED);
  if (r->events == 0 || r->running != L || !r->stack) return;
  scr_cut(r, r->stack, NULL);
  if (!scr_join(r, L, r->stack, &from_here)) scr_fail(r);
}

/* Gives a coroutine the hook of the recording in place of another one. */
static void restore(scr_recording *r, lua_State *L, lua_State *co) {
  if (lua_gethook(co) == r->hook) return;
  r->in_hook = true;
  r->interrupted = r->interrupted || co == L;
  if (co == L) rejoin(r, L);
  scr_set_hook(r, co);
  scr_leave_hook(r);
}

/* Whether a hook of the program's own is set in a coroutine. That of the main thread is
 * still there, or was removed, when the recording ends. */
static bool sets_in_coroutine(lua_State *L, const lua_State *co, int hook) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  const lua_State *main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return co != main && !lua_isnoneornil(L, hook);
}

static int set_hook(lua_State *L) {
  lua_State *co = lua_tothread(L, 1);
  const int hook = co ? 2 : 1;
  scr_recording *r = recording_of(L);
  if (r && lua_type(L, hook) == LUA_TSTRING &&
      strcmp(lua_tostring(L, hook), external) == 0) {
    restore(r, L, co ? co : L);
    return 0;
  }
  const bool interrupts = r && sets_in_coroutine(L, co ? co : L, hook);
  const int results = lua_tocfunction(L, lua_upvalueindex(1))(L);
  if (interrupts) r->interrupted = true;
  return results;
}

int scr_sethook(lua_State *L) {
  lua_settop(L, 1);
  if (lua_iscfunction(L, 1)) lua_pushcclosure(L, set_hook, 1);
  return 1;
}
