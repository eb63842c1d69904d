/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytecode of Lua functions. It alone distinguishes functions that are defined in the
 * same lines.
 */
#ifndef GPROF_SCRIPTS_BYTECODE_H
#define GPROF_SCRIPTS_BYTECODE_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/crc32.h"

/* Returns the prototype of a Lua closure: what it shares with all closures that the same
 * code makes. Lua has no function for this. scr_finds_prototypes checks that this one is
 * right. */
static inline const void *scr_prototype_of(const void *closure) {
  enum { PROTOTYPE = 3 };  /* after the header of an object, and a link */
  return ((const void *const *)closure)[PROTOTYPE];
}

/* Whether scr_prototype_of is right for this version of Lua. */
bool scr_finds_prototypes(lua_State *L);

/* Returns the CRC-32 of the bytecode of the Lua function at the top of the stack: of what
 * string.dump returns without debugging information, from the first line on. */
uint32_t scr_checksum(gp_crc32 *crc, lua_State *L);

#endif
