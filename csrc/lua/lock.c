/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks on files for Lua. */
#include <lauxlib.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "lua/module.h"

#define GP_LOCK "gprof.lock"

static int unlock(lua_State *L) {
  int *file = luaL_checkudata(L, 1, GP_LOCK);
  if (*file >= 0) close(*file);
  *file = -1;
  return 0;
}

/* Returns a new lock, which is not held yet. */
static int *push_lock(lua_State *L) {
  int *file = lua_newuserdatauv(L, sizeof *file, 0);
  *file = -1;
  luaL_setmetatable(L, GP_LOCK);
  return file;
}

/* Returns the lock on top of the stack if it is held; otherwise nil and the state. */
static int return_lock(lua_State *L, gp_lock_state state) {
  static const char *const states[] = {
      [GP_LOCK_BUSY] = "busy", [GP_LOCK_MISSING] = "missing", [GP_LOCK_NONE] = "none"};
  if (state == GP_LOCK_HELD) return 1;
  luaL_pushfail(L);
  lua_pushstring(L, states[state]);
  return 2;
}

/* lock(path, wait, follow) -> a value that holds the lock until it is closed; or nil and
 * "busy", "missing" or "none" (see gp_lock_state) */
static int lock_file(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  bool wait = lua_toboolean(L, 2), follow = lua_toboolean(L, 3);
  int *file = push_lock(L);
  return return_lock(L, gp_file_lock(path, follow, wait, file));
}

/* lock_name(path, wait): as above, for a file that does not exist */
static int lock_name(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  bool wait = lua_toboolean(L, 2);
  int *file = push_lock(L);
  return return_lock(L, gp_name_lock(path, wait, file));
}

void gp_define_lock(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", unlock}, {"__close", unlock}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"lock", lock_file}, {"lock_name", lock_name}, {NULL, NULL}};
  luaL_newmetatable(L, GP_LOCK);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
