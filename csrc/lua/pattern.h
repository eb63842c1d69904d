/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of function names for Lua. */
#ifndef GP_LUA_PATTERN_H
#define GP_LUA_PATTERN_H

#include <lauxlib.h>

#include "symbols/name_pattern.h"

/* Returns the pattern at stack index `index`; a Lua error if it is of another type. */
const gp_name_pattern *gp_check_pattern(lua_State *L, int index);

#endif
