/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The spreads of data and of profiles, for Lua. */
#include <string.h>

#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/module.h"
#include "lua/profile.h"
#include "lua/spread.h"
#include "lua/symbols.h"
#include "object/build_id.h"

/* spread(symbols) -> an empty spread of the functions of an image */
static int new_spread(lua_State *L) {
  const gp_symbols_box *symbols = gp_check_symbols(L, 1);
  const gp_symtab *symtab = &symbols->symtab;
  gp_error error = {""};
  gp_spread_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  memset(box, 0, sizeof *box);
  luaL_setmetatable(L, GP_SPREAD);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  box->open = true;
  if (!gp_spread_init(&box->spread, symtab->address, symtab->count, &error) ||
      !gp_run_costs_init(&box->costs, symtab, &error))
    return gp_push_error(L, &error);
  box->spread.build_id_size = gp_build_id(symbols->image->image, box->spread.build_id);
  return 1;
}

/* keep_spread(data, spread): the spread is that of the data, unless other records are
 * added. data:write(path) writes it, too. */
static int keep_spread(lua_State *L) {
  gp_check_data(L, 1);
  gp_check_spread(L, 2);
  gp_data_box *box = luaL_checkudata(L, 1, GP_DATA);
  lua_settop(L, 2);
  lua_setiuservalue(L, 1, GP_DATA_SPREAD);
  box->spread = box->data.stats;
  return 0;
}

/* spread_of(data) -> its spread, or nil */
static int spread_of(lua_State *L) {
  gp_check_data(L, 1);
  const gp_data_box *box = luaL_checkudata(L, 1, GP_DATA);
  if (memcmp(&box->spread, &box->data.stats, sizeof box->spread) != 0) return 0;
  lua_getiuservalue(L, 1, GP_DATA_SPREAD);
  return gp_test_spread(L, -1) ? 1 : 0;
}

/* attach_spread(profile, spread): functions get the field `spread`. The profile must be
 * by function, and its functions those of the image. */
static int attach_spread(lua_State *L) {
  gp_check_profile(L, 1);
  gp_check_spread(L, 2);
  lua_settop(L, 2);
  lua_setiuservalue(L, 1, GP_PROFILE_SPREAD);
  return 0;
}

void gp_define_data_spread(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"spread", new_spread}, {"keep_spread", keep_spread}, {"spread_of", spread_of},
      {"attach_spread", attach_spread}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
