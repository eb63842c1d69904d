/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Images (object files) for Lua. */
#ifndef GP_LUA_IMAGE_H
#define GP_LUA_IMAGE_H

#include <lua.h>

#include "debug/inline_map.h"
#include "debug/line_map.h"
#include "gmon/contexts/script_functions.h"
#include "lua/object.h"
#include "object/image.h"

#define GP_IMAGE "gprof.image"

/* User values of a box: the path; and the list of functions, if the image stands for a
 * Lua program. */
enum { GP_IMAGE_PATH = GP_STATE + 1, GP_IMAGE_FUNCTIONS,
       GP_IMAGE_VALUES = GP_IMAGE_FUNCTIONS };

typedef struct gp_image_box {
  gp_image *image;            /* NULL once closed */
  gp_line_map map[2];         /* lines, made on demand: [0] ours, [1] libbfd's */
  bool mapped[2];             /* map[i] was made */
  gp_inline_map inlines;      /* functions, made on demand */
  bool inlined;               /* `inlines` was made */
  bool links_checked;         /* gp_debuglink_check was called */
  bool lines_searched;        /* the finder of debug_file.c was called with "lines" */
  bool gaps_reported;         /* the finder of debug_file.c was called with "gaps" */
  bool names_reported;        /* the handler of large names was called */
} gp_image_box;

/* Returns the image at stack index `index`; a Lua error if it is closed or of another
 * type. */
gp_image *gp_check_image(lua_State *L, int index);

/* Returns the image in a box; a Lua error if it is closed. Handlers of warnings and
 * finalizers can do that while the core uses the image. */
gp_image *gp_open_image(lua_State *L, const gp_image_box *of);

/* Pushes the list of functions of the image at `index`, nil if it is not of a Lua
 * program, and returns it. */
gp_script_functions gp_push_functions(lua_State *L, int index);

/* Pushes the Lua object of the image in a box; nil if the object was collected. */
void gp_push_image(lua_State *L, const gp_image_box *box);

/* Reports that some names were too large to be demangled, once for each image. Call it
 * after demangling. A Lua error if the image was closed meanwhile. */
void gp_report_large_names(lua_State *L, const gp_image_box *of);

#endif
