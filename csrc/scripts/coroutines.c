/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/coroutines.h"

#include <lauxlib.h>

#include "scripts/recording.h"

/* Like lua_resume. Needs no protected call: lua_resume raises no errors. */
static int run(lua_State *co, lua_State *L, int arguments, int *results) {
  scr_recording *r = scr_current;
  const bool is_own = r && lua_topointer(L, LUA_REGISTRYINDEX) == r->registry;
  if (!is_own) return lua_resume(co, L, arguments, results);
  if (r->running != L) {  /* the coroutine that has started the recording has yielded */
    scr_set_running(r, L);
    r->resumed = NULL;
  }
  if (r->period > 0) scr_give_hook(r, co);
  const scr_resume here = {L, r->resumed};
  r->resumed = &here;
  r->running = co;
  const int status = lua_resume(co, L, arguments, results);
  if (scr_current == r) {
    r->running = L;
    r->resumed = here.outer;
  }
  return status;
}

/* Resumes `co` with the arguments at the top of the stack. Pushes its results, and
 * returns their number; or pushes an error, and returns -1. */
static int resume_with(lua_State *L, lua_State *co, int arguments) {
  if (!lua_checkstack(co, arguments)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, arguments);
  int results = 0;
  const int status = run(co, L, arguments, &results);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

/* resume(co, ...) -> true, ...; or false and an error */
static int resume(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  const int results = resume_with(L, lua_tothread(L, 1), lua_gettop(L) - 1);
  const int pushed = results < 0 ? 1 : results;
  lua_pushboolean(L, results >= 0);
  lua_insert(L, -(pushed + 1));
  return pushed + 1;
}

/* Resumes the coroutine in upvalue 1. An error closes its variables, and gets the
 * position of the call. */
static int resume_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  const int results = resume_with(L, co, lua_gettop(L));
  if (results >= 0) return results;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {
    status = lua_resetthread(co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

/* wrap(f) -> a function that resumes a new coroutine */
static int wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, resume_wrapped, 1);
  return 1;
}

/* Pushes a function in place of one, unless that is not in C: the program has replaced
 * the standard function. */
static void replace(lua_State *L, int index, lua_CFunction function) {
  if (lua_iscfunction(L, index))
    lua_pushcfunction(L, function);
  else
    lua_pushvalue(L, index);
}

/* --- calls of Lua's own functions, if calls are counted ---------------------------- */

/* Lua's coroutine.resume, and what its coroutine.wrap returns. */
static lua_CFunction lua_resume_function, lua_wrapped_function;

/* Its coroutine.wrap and coroutine.create. */
static lua_CFunction lua_wrap_function, lua_create_function;

/* Learns them from the functions at 1 to 3, unless the program has replaced these. */
static void learn_functions(lua_State *L) {
  lua_wrap_function = lua_tocfunction(L, 2);
  lua_create_function = lua_tocfunction(L, 3);
  if (!lua_iscfunction(L, 1) || !lua_iscfunction(L, 2)) return;
  lua_resume_function = lua_tocfunction(L, 1);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_wrapped_function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
}

/* Calls of the functions that replace those in a recording without counts may be in later
 * ones, too. */
static bool takes_coroutine(lua_CFunction entry) {
  return entry == lua_resume_function || entry == resume;
}

bool scr_resumes(lua_CFunction entry) {
  return takes_coroutine(entry) || entry == lua_wrapped_function ||
         entry == resume_wrapped;
}

/* Pushes the coroutine that a call resumes; false if the call has none. */
static bool push_resumed(lua_State *L, const lua_Debug *ar, lua_CFunction entry) {
  if (takes_coroutine(entry)) return lua_getlocal(L, ar, 1);
  lua_Debug called = *ar;
  lua_getinfo(L, "f", &called);
  const bool found = lua_getupvalue(L, -1, 1);
  lua_remove(L, found ? -2 : -1);
  return found;
}

void scr_hook_resumed(scr_recording *r, lua_State *L, const lua_Debug *ar,
                      lua_CFunction entry) {
  if (!push_resumed(L, ar, entry)) return;
  lua_State *co = lua_tothread(L, -1);
  if (co) scr_give_hook(r, co);
  lua_pop(L, 1);
}

bool scr_creates(lua_CFunction entry) {
  return entry == lua_create_function || entry == lua_wrap_function || entry == wrap;
}

/* Adds a place to those that create a function's coroutines, unless there are many, or it
 * is known. */
static void add_creation(scr_function *f, scr_place place) {
  for (int i = 0; i < SCR_MOST_CREATED; i++) {
    scr_place *known = &f->created[i];
    if (known->line == 0) *known = place;
    if (known->function == place.function && known->line == place.line) return;
  }
}

void scr_note_creation(scr_recording *r, lua_State *L, const lua_Debug *ar,
                       uint32_t line) {
  lua_Debug creator;
  if (line == 0 || !lua_getstack(L, 1, &creator) || !lua_getlocal(L, ar, 1)) return;
  if (!lua_isfunction(L, -1)) {  /* an error */
    lua_pop(L, 1);
    return;
  }
  const uint32_t body = scr_function_at_top(&r->functions, r->closures, L);
  const uint32_t function =
      scr_function_number(&r->functions, r->closures, L, &creator);
  if (body == SCR_NONE || function == SCR_NONE)
    scr_fail(r);
  else
    add_creation(&r->functions.list[body], (scr_place){function, line});
}

int scr_coroutines(lua_State *L) {
  lua_settop(L, 3);
  learn_functions(L);
  replace(L, 1, resume);
  replace(L, 2, wrap);
  lua_pushcfunction(L, resume_wrapped);
  return 3;
}
