/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads selections of functions and arcs from Lua tables. */
#ifndef GP_LUA_SELECTION_H
#define GP_LUA_SELECTION_H

#include <lua.h>

#include "profile/selection.h"

/* Pushes a userdata with the selections in the table at stack index `index`; selection.c
 * describes the table. The collector frees them. Function numbers above `functions` are a
 * Lua error. */
gp_selections *gp_push_selections(lua_State *L, int index, size_t functions);

#endif
