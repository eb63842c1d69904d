/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that is freed even if Lua raises an error. */
#ifndef GP_LUA_MEMORY_H
#define GP_LUA_MEMORY_H

#include <lua.h>

#include "profile/order.h"

/* Raises the error that Lua raises when it runs out of memory: without a position. */
_Noreturn int gp_raise_no_memory(lua_State *L);

/* Pushes a guard: an empty place for memory from malloc, which the collector frees. It is
 * made before that memory is asked for. */
void **gp_push_guard(lua_State *L);

/* Replaces the guard on the top by a copy of the string in it, and frees that. A Lua
 * error if it is NULL. */
void gp_take_text(lua_State *L, void **guard);

/* The same with a column of `count` row numbers, which become a table that counts rows
 * from 1. */
void gp_take_rows(lua_State *L, void **guard, size_t count);

/* Pushes a userdata that frees the list of rows in it, which is still empty. */
gp_rows *gp_push_row_list(lua_State *L);

/* Pushes a table that does not keep its values alive. */
void gp_push_weak_table(lua_State *L);

#endif
