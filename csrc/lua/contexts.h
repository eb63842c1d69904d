/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of context profiles, for Lua. */
#ifndef GP_LUA_CONTEXTS_H
#define GP_LUA_CONTEXTS_H

#include <lua.h>

#include "gmon/contexts/contexts.h"

/* Returns the sum at stack index `index`; NULL if the value is of another type, or
 * closed. */
const gp_contexts *gp_test_contexts(lua_State *L, int index);

#endif
