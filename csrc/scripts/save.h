/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes profiles of Lua programs, as the core writes files (see base/writer.h). */
#ifndef GP_SCRIPTS_SAVE_H
#define GP_SCRIPTS_SAVE_H

#include <lua.h>

/* save(path, bytes, is_default) -> true; or nil and a message. `is_default`: the user has
 * not chosen the path, so it may be neither a link nor a device. */
int scr_save(lua_State *L);

#endif
