/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/recording.h"

_Thread_local scr_recording *scr_current;

/* Without events, samples set the hook; but it shows that the program begins. */
static int mask_of(const scr_recording *r) {
  const int first = r->awaits_program ? LUA_MASKCALL : 0;
  return r->period > 0 ? r->events | LUA_MASKCOUNT : r->events | first;
}

void scr_set_hook(const scr_recording *r, lua_State *L) {
  lua_sethook(L, r->hook, mask_of(r), r->period);
}

void scr_give_hook(scr_recording *r, lua_State *co) {
  const lua_Hook present = lua_gethook(co);
  const bool has_events =
      lua_gethookmask(co) == mask_of(r) && lua_gethookcount(co) == r->period;
  if (!present || (present == r->hook && !has_events)) scr_set_hook(r, co);
  if (present && present != r->hook) r->interrupted = true;
}

/* The key in the registry of the running coroutine, or of the recording that ended. */
static const char running;

bool scr_is_recorded(lua_State *L) {
  const bool found = lua_rawgetp(L, LUA_REGISTRYINDEX, &running) == LUA_TTHREAD;
  lua_pop(L, 1);
  return found;
}

scr_recording *scr_ended_recording(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &running);
  scr_recording *r = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return r;
}

void scr_set_ended(lua_State *L, scr_recording *r) {
  if (r)
    lua_pushlightuserdata(L, r);
  else
    lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &running);
}

bool scr_set_running(scr_recording *r, lua_State *L) {
  const bool is_main = lua_pushthread(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &running);
  r->running = L;
  return is_main;
}

void scr_fail(scr_recording *r) {
  r->out_of_memory = true;
  r->active = false;
}
