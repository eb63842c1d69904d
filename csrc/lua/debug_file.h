/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debugging information in separate files, for Lua. */
#ifndef GP_LUA_DEBUG_FILE_H
#define GP_LUA_DEBUG_FILE_H

#include "lua/image.h"

/* Finds the files that hold an image's debugging information, once per image. Call this
 * before looking up source lines. With `by_libbfd`, only libbfd searches. A Lua error if
 * the image was closed during the search. */
void gp_find_debug_files(lua_State *L, const gp_image_box *box, bool by_libbfd);

/* Reports what could not be read about inlined functions, once for each image. A Lua
 * error if the image was closed meanwhile. */
void gp_report_gaps(lua_State *L, const gp_image_box *box, const gp_inline_gaps *gaps);

#endif
