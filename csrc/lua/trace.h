/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug output for Lua. */
#ifndef GP_LUA_TRACE_H
#define GP_LUA_TRACE_H

#include <lua.h>

#include "base/trace.h"

/* Returns the trace at stack index `index`; NULL if it is nil. The caller must keep it
 * alive. */
const gp_trace *gp_opt_trace(lua_State *L, int index);

#endif
