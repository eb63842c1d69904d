/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Lua module `scarce`: a function that makes one request for memory fail.
 *
 * scarce(n) has the n-th request from now on fail, none if n is 0, and returns how many
 * there have been since the last call.
 */
#include "scarce.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#undef malloc
#undef calloc
#undef realloc
#undef strdup

static lua_Integer requests, failing;

static bool fails(void) { return ++requests == failing; }

void *scarce_malloc(size_t size) { return fails() ? NULL : malloc(size); }

void *scarce_calloc(size_t count, size_t size) {
  return fails() ? NULL : calloc(count, size);
}

void *scarce_realloc(void *memory, size_t size) {
  return fails() ? NULL : realloc(memory, size);
}

char *scarce_strdup(const char *text) { return fails() ? NULL : strdup(text); }

static int scarce(lua_State *L) {
  lua_pushinteger(L, requests);
  failing = luaL_checkinteger(L, 1);
  requests = 0;
  return 1;
}

int luaopen_scarce(lua_State *L) {
  lua_pushcfunction(L, scarce);
  return 1;
}
