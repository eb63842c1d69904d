/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles for Lua. */
#ifndef GP_LUA_PROFILE_H
#define GP_LUA_PROFILE_H

#include "lua/symbols.h"
#include "profile/order.h"
#include "profile/profile.h"

#define GP_PROFILE "gprof.profile"

typedef struct gp_profile_box {
  gp_profile *profile;        /* NULL once closed */
  const gp_image_box *image;  /* kept alive by user value GP_PROFILE_IMAGE */
  gp_symbol_sources files;    /* the source files of static functions with time or calls,
                                 looked up on demand */
  bool has_files;             /* `files` were looked up */
  gp_rows by_name;            /* the functions sorted by name; empty until needed */
  gp_rows by_count;           /* the arcs sorted by count; empty until needed */
} gp_profile_box;

/* User values of a profile. GP_PROFILE_OBJECTS and GP_PROFILE_ARCS are tables that cache
 * the Lua objects of nodes and arcs, indexed by row. GP_PROFILE_SPREAD: nil, unless
 * spread.c sets it. */
enum { GP_PROFILE_IMAGE = GP_STATE + 1, GP_PROFILE_DATA, GP_PROFILE_SYMBOLS,
       GP_PROFILE_OBJECTS, GP_PROFILE_ARCS, GP_PROFILE_SPREAD,
       GP_PROFILE_VALUES = GP_PROFILE_SPREAD };

/* Returns the profile at stack index `index`; a Lua error if it or its image is closed,
 * or if it is of another type. */
gp_profile *gp_check_profile(lua_State *L, int index);

/* Returns the profile in a box; a Lua error if it or its image is closed. Used for parts
 * (see part.h) and iterators. */
gp_profile *gp_open_profile(lua_State *L, const gp_profile_box *box);

/* Returns sources that include the file of a static function, the symbol `function` of
 * `symbols`. The sources of functions without time and calls are looked up only if one of
 * them is asked for. */
const gp_symbol_sources *gp_static_files(lua_State *L, gp_profile_box *box,
                                         gp_symbols_box *symbols, uint32_t function);

#endif
