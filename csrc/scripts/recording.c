/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/recording.h"

_Thread_local scr_recording *scr_current;

bool scr_set_running(scr_recording *r, lua_State *L) {
  const bool is_main = lua_pushthread(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, r);
  r->running = L;
  return is_main;
}
