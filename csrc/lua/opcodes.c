/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The module gprof.opcodes: the functions of libopcodes that the core calls.
 *
 * A shared object of its own: see opcodes.h for why.
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

/* the only name that the module shows to the outside */
__attribute__((visibility("default"))) int luaopen_gprof_opcodes(lua_State *L);

/* The module's value means something to the core only. */
int luaopen_gprof_opcodes(lua_State *L) {
  luaL_checkversion(L);
  lua_pushlightuserdata(L, (void *)&table);
  return 1;
}
