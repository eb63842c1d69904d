/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces for Lua. */
#ifndef GP_LUA_TRACE_H
#define GP_LUA_TRACE_H

#include <lua.h>

#include "base/trace.h"

/* The trace at `index`, or NULL if it is nil. The caller keeps it alive. */
const gp_trace *gp_opt_trace(lua_State *L, int index);

#endif
