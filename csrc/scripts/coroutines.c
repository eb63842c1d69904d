/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/coroutines.h"

#include <lauxlib.h>

#include "scripts/recording.h"

/* Calls the function below `arguments` values, which resumes `co`. Returns the status of
 * lua_pcall. */
static int call(lua_State *L, lua_State *co, int arguments) {
  scr_recording *r = scr_current;
  if (!r || r->running != L) return lua_pcall(L, arguments, LUA_MULTRET, 0);
  const scr_resume here = {L, r->resumed};
  r->resumed = &here;
  r->running = co;
  const int status = lua_pcall(L, arguments, LUA_MULTRET, 0);
  if (scr_current == r) {
    r->running = L;
    r->resumed = here.outer;
  }
  return status;
}

/* resume(co, ...): upvalue 1 is the former function */
static int resume(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  lua_State *co = lua_tothread(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  return call(L, co, lua_gettop(L) - 1) == LUA_OK ? lua_gettop(L) : lua_error(L);
}

/* Resumes a coroutine: upvalue 1 is the function that does so, upvalue 2 the coroutine.
 * Errors get the position of the call, as without this function in between. */
static int resume_wrapped(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  if (call(L, lua_tothread(L, lua_upvalueindex(2)), lua_gettop(L) - 1) == LUA_OK)
    return lua_gettop(L);
  if (lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* wrap(f): upvalue 1 is the former function, whose result has the coroutine as an
 * upvalue */
static int wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  if (!lua_getupvalue(L, -1, 1)) return 1;
  if (!lua_isthread(L, -1)) {
    lua_pop(L, 1);
    return 1;
  }
  lua_pushcclosure(L, resume_wrapped, 2);
  return 1;
}

int scr_coroutines(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, resume, 1);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, wrap, 1);
  return 2;
}
