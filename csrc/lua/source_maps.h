/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The maps of an image's code, from addresses to lines and functions of the source. */
#ifndef GP_LUA_SOURCE_MAPS_H
#define GP_LUA_SOURCE_MAPS_H

#include "lua/image.h"

/* Returns a line map, made on first use: ours, of all code, or libbfd's, of .text. */
const gp_line_map *gp_open_lines(lua_State *L, gp_image_box *box, bool as_libbfd);

/* Returns the inline map of all code, made on first use. */
const gp_inline_map *gp_open_inlines(lua_State *L, gp_image_box *box);

#endif
