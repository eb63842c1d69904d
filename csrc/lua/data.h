/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profile data for Lua. */
#ifndef GP_LUA_DATA_H
#define GP_LUA_DATA_H

#include <lua.h>

#include "gmon/add_file.h"

#define GP_DATA "gprof.data"

typedef struct gp_data_box {
  gp_data data;
  gp_staging staging;         /* for files that are added as a whole */
  const gp_trace *trace;      /* of files that are read; kept alive by user value 2 */
  bool open;
} gp_data_box;

/* The open data at `index`; a Lua error if it is closed or anything else. */
gp_data *gp_check_data(lua_State *L, int index);

/* The data in a box that an iteration keeps; a Lua error that blames no argument if it is
 * closed. */
const gp_data *gp_open_data(lua_State *L, const gp_data_box *box);

#endif
