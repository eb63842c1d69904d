/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source lines and inlined functions of an image, for Lua. */
#ifndef GP_LUA_LINES_H
#define GP_LUA_LINES_H

#include "lua/image.h"

/* Returns the line map of .text, made on first use: ours, or libbfd's. */
const gp_line_map *gp_open_lines(lua_State *L, gp_image_box *box, bool as_libbfd);

/* Returns the inline map of .text, made on first use. */
const gp_inline_map *gp_open_inlines(lua_State *L, gp_image_box *box);

#endif
