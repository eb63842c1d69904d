/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Lua module `scarce`: a function that makes one allocation fail.
 *
 * scarce(n) makes the n-th allocation from now on fail, or none if n is 0. It returns the
 * number of allocations since the last call.
 *
 * Live blocks are recorded to find leaks. The core also frees blocks that libbfd
 * allocated; these are not recorded.
 */
#include "scarce.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdarg.h>
#include <stdint.h>

#undef malloc
#undef calloc
#undef realloc
#undef strdup
#undef asprintf
#undef free

static long requests, failing;
static bool lasting;

long scarce_begin(long first, bool all_after) {
  long before = requests;
  requests = 0;
  failing = first;
  lasting = all_after;
  return before;
}

void scarce_relieve(void) {
  if (requests >= failing) failing = 0;
}

bool scarce_fails(void) {
  requests++;
  return failing > 0 && (lasting ? requests >= failing : requests == failing);
}

/* --- live blocks: a hash set with open addressing and linear probing ------------- */

/* Complements of addresses, so that LeakSanitizer does not see pointers here. */
static uintptr_t *blocks;
static size_t size, live;

size_t scarce_live(void) { return live; }

/* Returns the slot of a block, or the free slot where it would be stored. */
static size_t place_of(uintptr_t block) {
  size_t place = (block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
  for (place &= size - 1; blocks[place] && blocks[place] != block;)
    place = (place + 1) & (size - 1);
  return place;
}

static void grow(void) {
  size_t before = size;
  uintptr_t *old = blocks;
  size = size ? 2 * size : 1024;
  blocks = calloc(size, sizeof *blocks);
  if (!blocks) abort();
  for (size_t i = 0; i < before; i++)
    if (old[i]) blocks[place_of(old[i])] = old[i];
  free(old);
}

static void *remember(void *block) {
  if (!block) return NULL;
  if (live >= size / 2) grow();
  blocks[place_of(~(uintptr_t)block)] = ~(uintptr_t)block;
  live++;
  return block;
}

static void forget(const void *block) {
  if (!block || size == 0) return;
  size_t place = place_of(~(uintptr_t)block);
  if (!blocks[place]) return;
  blocks[place] = 0;
  live--;
  /* reinsert the rest of the cluster */
  while (blocks[place = (place + 1) & (size - 1)]) {
    uintptr_t moved = blocks[place];
    blocks[place] = 0;
    blocks[place_of(moved)] = moved;
  }
}

/* --- requests -------------------------------------------------------------------- */

void *scarce_malloc(size_t length) {
  return scarce_fails() ? NULL : remember(malloc(length));
}

void *scarce_calloc(size_t count, size_t length) {
  return scarce_fails() ? NULL : remember(calloc(count, length));
}

void *scarce_realloc(void *memory, size_t length) {
  if (scarce_fails()) return NULL;
  forget(memory);
  return remember(realloc(memory, length));
}

char *scarce_strdup(const char *text) {
  return scarce_fails() ? NULL : remember(strdup(text));
}

int scarce_asprintf(char **text, const char *format, ...) {
  if (scarce_fails()) return -1;
  va_list values;
  va_start(values, format);
  int length = vasprintf(text, format, values);
  va_end(values);
  if (length >= 0) remember(*text);
  return length;
}

void scarce_free(void *memory) {
  forget(memory);
  free(memory);
}

static int scarce(lua_State *L) {
  lua_pushinteger(L, scarce_begin(luaL_checkinteger(L, 1), false));
  return 1;
}

int luaopen_scarce(lua_State *L) {
  lua_pushcfunction(L, scarce);
  return 1;
}
