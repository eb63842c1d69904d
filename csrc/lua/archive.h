/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Archives for Lua, and what profiles are read from: paths, open files, members. */
#ifndef GP_LUA_ARCHIVE_H
#define GP_LUA_ARCHIVE_H

#include <lua.h>

#include "base/reader.h"

/* The name in messages of the input at stack index `index`: a path; "open file"; or the
 * name of an archive and of its current member. A Lua error for any other value. */
const char *gp_check_input(lua_State *L, int index);

/* Opens the input at stack index `index`, which was checked. */
bool gp_open_input(lua_State *L, int index, gp_reader *reader, gp_error *error);

#endif
