/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/closures.h"

#include <stdlib.h>

static void *reallocate(void *data, void *block, size_t size, size_t new_size) {
  scr_closures *closures = data;
  if (block && new_size == 0) {
    scr_known *known = scr_closures_at(closures, block);
    if (known->closure == block) known->closure = NULL;
  }
  return closures->allocate(closures->data, block, size, new_size);
}

scr_closures *scr_closures_new(lua_State *L) {
  scr_closures *closures = calloc(1, sizeof *closures);
  if (!closures) return NULL;
  closures->allocate = lua_getallocf(L, &closures->data);
  lua_setallocf(L, reallocate, closures);
  return closures;
}

/* If the host has wrapped the allocator, it may still call this one, which stays. */
void scr_closures_free(scr_closures *closures, lua_State *L) {
  void *data;
  if (lua_getallocf(L, &data) != reallocate || data != closures) return;
  lua_setallocf(L, closures->allocate, closures->data);
  free(closures);
}
