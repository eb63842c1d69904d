/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts and times of source lines, for Lua. */
#ifndef GP_LUA_ANNOTATION_H
#define GP_LUA_ANNOTATION_H

#include <lua.h>

#include "profile/annotation.h"

#define GP_ANNOTATION_OBJECT "gprof.annotation"

typedef struct gp_annotation_box {
  gp_annotation lines;
  bool open;
} gp_annotation_box;

/* Returns the annotation at stack index `index`; a Lua error if it is closed or of
 * another type. */
const gp_annotation *gp_check_annotation(lua_State *L, int index);

#endif
