/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debugging information of an image that is in other files, for Lua. */
#ifndef GP_LUA_DEBUG_FILE_H
#define GP_LUA_DEBUG_FILE_H

#include "lua/image.h"

/* To be called before the lines of an image are asked for. Has the files found that hold
 * its debugging information, once; with `by_libbfd` only libbfd looks for them. If names
 * of inlined functions are wanted (`named`) and missing, the user is told. A Lua error if
 * the image gets closed meanwhile. */
void gp_seek_lines(lua_State *L, const gp_image_box *box, bool by_libbfd, bool named);

#endif
