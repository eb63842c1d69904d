/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/closures.h"

#include <lauxlib.h>
#include <stdlib.h>

static bool finds_closure(lua_State *L, lua_Debug *ar) {
  lua_getinfo(L, "f", ar);
  const bool is_right = lua_topointer(L, -1) == scr_called_closure(ar);
  lua_pop(L, 1);
  return is_right;
}

/* Returns the next instruction of its caller. */
static int instruction(lua_State *L) {
  lua_Debug own;
  const bool done = lua_getstack(L, 0, &own);
  const void *next = done ? scr_call_of(&own)->previous->instruction : NULL;
  lua_pushlightuserdata(L, (void *)(uintptr_t)next);
  return 1;
}

/* Leaves the stack as it was. */
static bool finds_instructions(lua_State *L) {
  enum { MOST_BYTES = 64, INSTRUCTION = 4 };
  const int top = lua_gettop(L);
  bool done = luaL_loadstring(L, "local f = ... local a = f() return f(), a") == LUA_OK;
  lua_pushcfunction(L, instruction);
  done = done && lua_pcall(L, 1, 2, 0) == LUA_OK;
  const uintptr_t later = (uintptr_t)lua_touserdata(L, -2),
                  earlier = (uintptr_t)lua_touserdata(L, -1);
  lua_settop(L, top);
  return done && later > earlier && later - earlier < MOST_BYTES &&
         (later - earlier) % INSTRUCTION == 0;
}

bool scr_finds_calls(lua_State *L) {
  lua_Debug own, caller;
  return lua_getstack(L, 0, &own) && lua_getstack(L, 1, &caller) &&
         finds_closure(L, &own) && finds_closure(L, &caller) &&
         scr_call_of(&own)->previous == scr_call_of(&caller) && finds_instructions(L);
}

static void forget_prototype(scr_closures *closures, const void *prototype) {
  scr_known *known = scr_closures_prototype(closures, prototype);
  if (known->address == prototype) known->address = NULL;
  scr_sites_forget(&closures->sites, prototype);
}

static void forget_closure(scr_closures *closures, const void *closure) {
  scr_known *known = scr_closures_at(closures, closure);
  if (known->address == closure) known->address = NULL;
}

static void forget(scr_closures *closures, void *block, size_t size) {
  if (closures->knows_closures) forget_closure(closures, block);
  if (size == closures->prototype_size) forget_prototype(closures, block);
  /* Lua keeps the extra space before the coroutine. */
  if (size == closures->thread_size && closures->stacks)
    scr_stack_drop(closures->stacks, (char *)block + LUA_EXTRASPACE);
}

enum { PROTOTYPE = LUA_NUMTYPES + 1 };  /* LUA_TPROTO in the sources of Lua 5.4 */

/* The size of a new block is its type. */
static void *reallocate(void *data, void *block, size_t size, size_t new_size) {
  scr_closures *closures = data;
  if (block && new_size == 0)
    forget(closures, block, size);
  else if (!block && size == LUA_TTHREAD)
    closures->thread_size = new_size;
  else if (!block && size == PROTOTYPE)
    closures->prototype_size = new_size;
  return closures->allocate(closures->data, block, size, new_size);
}

/* Makes the blocks whose sizes must be known. */
static int make_blocks(lua_State *L) {
  lua_newthread(L);
  return luaL_loadstring(L, "");
}

scr_closures *scr_closures_new(lua_State *L, scr_stacks *stacks, bool knows_closures) {
  scr_closures *closures = calloc(1, sizeof *closures);
  if (!closures) return NULL;
  closures->stacks = stacks;
  closures->knows_closures = knows_closures;
  closures->allocate = lua_getallocf(L, &closures->data);
  closures->sites.age = 1;
  lua_setallocf(L, reallocate, closures);
  lua_pushcfunction(L, make_blocks);
  const bool is_done = lua_pcall(L, 0, 0, 0) == LUA_OK;
  if (!is_done) lua_pop(L, 1);
  if (is_done && closures->prototype_size > 0) return closures;
  scr_closures_free(closures, L);
  return NULL;
}

/* If the host has wrapped the allocator, it may still call this one, which stays. */
void scr_closures_free(scr_closures *closures, lua_State *L) {
  void *data;
  closures->stacks = NULL;
  if (lua_getallocf(L, &data) != reallocate || data != closures) return;
  lua_setallocf(L, closures->allocate, closures->data);
  free(closures);
}
