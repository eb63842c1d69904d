/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Atomic file replacement for Lua. */
#ifndef GP_LUA_WRITER_H
#define GP_LUA_WRITER_H

#include <lua.h>

#include "base/writer.h"

/* Returns the writer at stack index `index`; NULL if the value is of another type. A Lua
 * error if it is closed. */
gp_writer *gp_test_writer(lua_State *L, int index);

/* Returns nil and "PATH: " with the error of the writer at stack index `index`. */
int gp_push_writer_failure(lua_State *L, int index);

#endif
