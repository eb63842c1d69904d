/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profile data for Lua. */
#ifndef GP_LUA_DATA_H
#define GP_LUA_DATA_H

#include <lua.h>

#include "gmon/sum/add_file.h"
#include "lua/object.h"

#define GP_DATA "gprof.data"

/* User values of a box: the field `files`; the trace, which is kept alive; the sum of the
 * context profiles and the spread, if there are any; and the list of functions, which is
 * kept alive, if the data is of a Lua program. */
enum {
  GP_DATA_FILES = GP_STATE + 1,
  GP_DATA_TRACE,
  GP_DATA_CONTEXTS,
  GP_DATA_FUNCTIONS,
  GP_DATA_SPREAD,
  GP_DATA_VALUES = GP_DATA_SPREAD
};

typedef struct gp_data_box {
  gp_data data;
  gp_data_stats described;    /* the statistics when the contexts were set: they describe
                                 no records that were added later */
  gp_data_stats spread;       /* the statistics when the spread was set */
  gp_staging staging;         /* for add_file, which adds a whole file or nothing */
  const gp_trace *trace;      /* debug output; kept alive by user value 2 */
  bool open;
} gp_data_box;

/* Returns the data at stack index `index`; a Lua error if it is closed or of another
 * type. */
gp_data *gp_check_data(lua_State *L, int index);

/* Returns the data in a box. If it is closed, raises a Lua error that names no argument.
 * Used for iterators and fields. */
const gp_data *gp_open_data(lua_State *L, const gp_data_box *box);

/* Returns the format that argument `index` names; GP_FORMAT_AUTO if it is nil. */
gp_format gp_check_format(lua_State *L, int index);

#endif
