/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/recording.h"

_Thread_local scr_recording *scr_current;

void scr_set_hook(const scr_recording *r, lua_State *L, lua_Hook hook) {
  lua_sethook(L, hook, r->events | (r->period > 0 ? LUA_MASKCOUNT : 0), r->period);
}

bool scr_set_running(scr_recording *r, lua_State *L) {
  const bool is_main = lua_pushthread(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, r);
  r->running = L;
  return is_main;
}

void scr_fail(scr_recording *r) {
  r->out_of_memory = true;
  r->active = false;
}
