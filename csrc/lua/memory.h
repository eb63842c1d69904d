/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is freed even if Lua raises an error. */
#ifndef GP_LUA_MEMORY_H
#define GP_LUA_MEMORY_H

#include <lua.h>

#include "profile/order.h"

/* Raises Lua's own out-of-memory error, which has no position. */
_Noreturn int gp_raise_no_memory(lua_State *L);

/* Pushes a guard: a userdata that owns a block from malloc, which the collector frees.
 * Push the guard first, then allocate the block and store it. */
void **gp_push_guard(lua_State *L);

/* Replaces the guard on the top of the stack with a Lua string made from its block, a C
 * string, and frees the block. Raises the out-of-memory error if the block is NULL. */
void gp_take_text(lua_State *L, void **guard);

/* Replaces the guard on the top of the stack with a Lua array of the `count` row numbers
 * in its block. Row numbers count from 0 in the block and from 1 in Lua. Frees the block,
 * and raises the out-of-memory error if it is NULL. */
void gp_take_rows(lua_State *L, void **guard, size_t count);

/* Pushes a table with weak values. */
void gp_push_weak_table(lua_State *L);

#endif
