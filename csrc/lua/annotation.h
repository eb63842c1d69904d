/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of the lines of source files, for Lua. */
#ifndef GP_LUA_ANNOTATION_H
#define GP_LUA_ANNOTATION_H

#include <lua.h>

#include "profile/annotation.h"

#define GP_ANNOTATION_OBJECT "gprof.annotation"

typedef struct gp_annotation_box {
  gp_annotation lines;
  bool open;
} gp_annotation_box;

/* The open annotation at `index`; a Lua error if it is closed or anything else. */
const gp_annotation *gp_check_annotation(lua_State *L, int index);

#endif
