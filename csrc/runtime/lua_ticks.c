/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/lua_ticks.h"

lua_program rec_lua;

bool rec_take_lua_tick(thread *t, slot **running, uintptr_t at, uint64_t ticks) {
  if (t != rec_lua.table) return false;
  if (*rec_lua.of.in_hook) {
    add_to(&t->inside, ticks);
    return true;
  }
  if (!rec_is_lua(*running)) return false;
  if (at - rec_lua.code < rec_lua.code_end - rec_lua.code) {
    rec_lua.of.tick(ticks);
    return true;
  }
  slot *const other = rec_slot_of_code(t, at);
  if (other) *running = other;
  return false;
}

void rec_forget_lua(void) {
  if (rec_lua.table) rec_switch(false);
  rec_lua.table = NULL;
}
