/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/closures.h"

#include <stdlib.h>

bool scr_finds_closures(lua_State *L) {
  lua_Debug ar;
  for (int level = 0; level < 2; level++) {
    if (!lua_getstack(L, level, &ar)) return false;
    lua_getinfo(L, "f", &ar);
    const bool is_right = lua_topointer(L, -1) == scr_called_closure(&ar);
    lua_pop(L, 1);
    if (!is_right) return false;
  }
  return true;
}

static void forget(scr_closures *closures, void *block, size_t size) {
  scr_known *known = scr_closures_at(closures, block);
  if (known->closure == block) known->closure = NULL;
  /* Lua keeps the extra space before the coroutine. */
  if (size == closures->thread_size && closures->stacks)
    scr_stack_drop(closures->stacks, (char *)block + LUA_EXTRASPACE);
}

/* The size of a new block is its type. */
static void *reallocate(void *data, void *block, size_t size, size_t new_size) {
  scr_closures *closures = data;
  if (block && new_size == 0)
    forget(closures, block, size);
  else if (!block && size == LUA_TTHREAD)
    closures->thread_size = new_size;
  return closures->allocate(closures->data, block, size, new_size);
}

scr_closures *scr_closures_new(lua_State *L, scr_stacks *stacks) {
  scr_closures *closures = calloc(1, sizeof *closures);
  if (!closures) return NULL;
  closures->stacks = stacks;
  closures->allocate = lua_getallocf(L, &closures->data);
  lua_setallocf(L, reallocate, closures);
  return closures;
}

/* If the host has wrapped the allocator, it may still call this one, which stays. */
void scr_closures_free(scr_closures *closures, lua_State *L) {
  void *data;
  closures->stacks = NULL;
  if (lua_getallocf(L, &data) != reallocate || data != closures) return;
  lua_setallocf(L, closures->allocate, closures->data);
  free(closures);
}
