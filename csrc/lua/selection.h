/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selections of functions for the core. */
#ifndef GP_LUA_SELECTION_H
#define GP_LUA_SELECTION_H

#include <lua.h>

#include "profile/selection.h"

/* Pushes a userdata that frees the selections in it, and fills it from the tables at
 * `index`: numbers of functions by stage, each at most `functions`; see selection.c. */
gp_selections *gp_push_selections(lua_State *L, int index, size_t functions);

#endif
