/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object file for Lua. */
#ifndef GP_LUA_IMAGE_H
#define GP_LUA_IMAGE_H

#include <lua.h>

#include "debug/line_map.h"
#include "object/image.h"

#define GP_IMAGE "gprof.image"

typedef struct gp_image_box {
  gp_image *image;            /* NULL once closed */
  gp_line_map map[2];         /* of .text, made on demand: our own, and libbfd's; */
  bool mapped[2];             /*   were they made? */
  bool links_checked;         /* the names of other files, before libbfd follows them */
  bool lines_searched;        /* the finder was asked for lines, */
  bool split_reported;        /*   and for names of inlined functions in split files */
} gp_image_box;

/* The open image at `index`; a Lua error if it is closed or anything else. */
gp_image *gp_check_image(lua_State *L, int index);

/* Pushes the object of a box; nil if the collector has taken it. */
void gp_push_image(lua_State *L, const gp_image_box *box);

#endif
