/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The module gprof.opcodes: a table of the libopcodes functions that the core calls. It
 * is a separate shared object, so that the core need not load libopcodes; see opcodes.h.
 */
#include <lauxlib.h>
#include <lua.h>

#include "object/opcodes.h"

static const gp_opcodes table = {
    .disassembler = disassembler,
    .init_disassemble_info = init_disassemble_info,
    .disassemble_init_for_target = disassemble_init_for_target,
    .disassemble_free_target = disassemble_free_target,
};

/* The only exported symbol. */
__attribute__((visibility("default"))) int luaopen_gprof_opcodes(lua_State *L);

/* Returns a pointer to the table, as light userdata. */
int luaopen_gprof_opcodes(lua_State *L) {
  luaL_checkversion(L);
  lua_pushlightuserdata(L, (void *)&table);
  return 1;
}
