/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Lua module `starve`: runs a script in which all allocations of Lua and of the core
 * fail from the n-th on.
 *
 * A single failure would prove little: Lua collects garbage and tries again. So the
 * script runs in a Lua state of its own, whose allocations are counted together with the
 * core's. From the n-th on, all fail until a protected call returns. Memory that is still
 * allocated after the state is closed has leaked.
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "modules.h"
#include "scarce.h"

#undef realloc
#undef free

/* A lua_Alloc; `data` counts the live bytes. Shrinking a block must not fail (lua_Alloc
 * in the Lua manual). */
static void *allocate(void *data, void *block, size_t old, size_t size) {
  size_t *bytes = data, before = block ? old : 0;
  if (size > before && scarce_fails()) return NULL;
  *bytes += size - before;
  if (size > 0) return realloc(block, size);
  free(block);
  return NULL;
}

/* pcall(f, ...). Allocations succeed again afterwards, because the caller needs
 * memory. */
static int relieving_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  scarce_relieve();
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, 1);
  return lua_gettop(L);
}

/* Runs the script. It returns two functions: the one to starve, and one that checks its
 * results. */
static bool prepare(lua_State *L, lua_State *from, bool relieving) {
  const char *path = luaL_checkstring(from, 3);
  luaL_openlibs(L);
  preload_modules(L);
  if (relieving) lua_register(L, "pcall", relieving_pcall);
  int words = 0;
  if (luaL_loadfile(L, path)) return false;
  for (; !lua_isnone(from, 4 + words); words++)
    lua_pushstring(L, lua_tostring(from, 4 + words));
  return lua_pcall(L, words, 2, 0) == LUA_OK;
}

/* Returns the name of a temporary change of the process that was not undone, or "". */
static const char *leftover(void) {
  sigset_t held;
  pthread_sigmask(SIG_BLOCK, NULL, &held);
  if (sigismember(&held, SIGTERM) || sigismember(&held, SIGINT)) return "held signals";
  return waitpid(-1, NULL, WNOHANG) >= 0 ? "a child" : "";
}

/* A forked child must have ended before it returns here. */
static void check_process(pid_t self) {
  static const char line[] = "a child came back\n";
  if (getpid() == self) return;
  if (write(STDERR_FILENO, line, sizeof line - 1) > 0) _exit(1);
}

/* Two functions are on the stack. Starves the first one, and pushes the verdict that the
 * second one returns on the results of the first. Returns the number of allocations. */
static long run(lua_State *L, long failing) {
  lua_pushvalue(L, -2);
  scarce_begin(failing, true);
  int status = lua_pcall(L, 0, 1, 0);
  long requests = scarce_begin(0, false);
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, -2);
  if (lua_pcall(L, 2, 1, 0)) lua_pushfstring(L, "cannot tell: %s", lua_tostring(L, -1));
  return requests;
}

/* starve(n, relieving, path, word...) returns the script's verdict, the number of
 * allocations, the core's leaked blocks, Lua's leaked bytes, and what leftover()
 * returns. */
static int starve(lua_State *L) {
  pid_t self = getpid();
  size_t bytes = 0, before = scarce_live();
  long failing = (long)luaL_checkinteger(L, 1), requests = 0;
  lua_State *inner = lua_newstate(allocate, &bytes);
  if (!inner) return luaL_error(L, "no state");
  bool prepared = prepare(inner, L, lua_toboolean(L, 2));
  if (prepared) requests = run(inner, failing);
  check_process(self);
  lua_pushstring(L, luaL_tolstring(inner, -1, NULL));
  lua_close(inner);
  if (!prepared) return lua_error(L);
  lua_pushinteger(L, requests);
  lua_pushinteger(L, (lua_Integer)(scarce_live() - before));
  lua_pushinteger(L, (lua_Integer)bytes);
  lua_pushstring(L, leftover());
  return 5;
}

int luaopen_starve(lua_State *L) {
  lua_pushcfunction(L, starve);
  return 1;
}
