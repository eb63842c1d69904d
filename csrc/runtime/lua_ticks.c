/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/lua_ticks.h"

lua_program rec_lua;

static bool has_code(const module *m, uintptr_t address) {
  return address - m->code < m->code_end - m->code;
}

bool rec_take_lua_tick(thread *t, slot **running, uintptr_t at, uint64_t ticks) {
  if (t != rec_lua.table) return false;
  if (*rec_lua.of.in_hook || has_code(rec_lua.hook, at)) {
    add_to(&t->inside, ticks);
    return true;
  }
  if (!rec_is_lua(*running)) return false;
  if (has_code(rec_lua.interpreter, at)) {
    if (!rec_lua.of.tick(at, ticks)) add_to(&t->inside, ticks);
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
