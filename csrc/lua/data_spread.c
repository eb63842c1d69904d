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
  gp_check_symbols(L, 1);  /* the new value can run a finalizer */
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

/* Sets index N of the table at the top to an array of `runs` zeros, for N up to
 * `count`. */
static void push_zeros(lua_State *L, lua_Integer count, size_t runs) {
  for (lua_Integer n = 1; n <= count; n++) {
    lua_createtable(L, (int)runs, 0);
    for (size_t run = 1; run <= runs; run++) {
      lua_pushinteger(L, 0);
      lua_rawseti(L, -2, (lua_Integer)run);
    }
    lua_rawseti(L, -2, n);
  }
}

/* Returns an array that maps rows of a spread to the numbers of the addresses in the
 * table at stack index `index`, 0 for others. It is pushed. */
static uint32_t *push_numbers(lua_State *L, const gp_spread *spread, int index) {
  uint32_t *number = lua_newuserdatauv(L, (spread->count + 1) * sizeof *number, 0);
  memset(number, 0, (spread->count + 1) * sizeof *number);
  for (uint32_t n = 1; lua_rawgeti(L, index, n) != LUA_TNIL; n++) {
    uint32_t row = gp_spread_row(spread, (uint64_t)luaL_checkinteger(L, -1));
    if (row != GP_NONE) number[row] = n;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return number;
}

/* run_times(profile, addresses) -> for each address of a function an array of its self
 * times in seconds, in the order in which the runs were added; or nil if these are not
 * known */
static int run_times(lua_State *L) {
  gp_check_profile(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, GP_PROFILE_SPREAD);
  const gp_spread_box *box = gp_test_spread(L, 3);
  if (!box || box->times.lost) return 0;
  const gp_run_times *times = &box->times;
  const uint32_t *number = push_numbers(L, &box->spread, 2);
  double units = gp_spread_units(&box->spread);
  lua_newtable(L);
  push_zeros(L, (lua_Integer)lua_rawlen(L, 2), times->runs);
  for (size_t i = 0, run = 0; i < times->count; i++) {
    while (times->end[run] <= i) run++;
    uint32_t n = number[times->function[i]];
    if (n == 0) continue;
    lua_rawgeti(L, -1, n);
    lua_pushnumber(L, (double)times->time[i] / units);
    lua_rawseti(L, -2, (lua_Integer)run + 1);
    lua_pop(L, 1);
  }
  return 1;
}

void gp_define_data_spread(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"spread", new_spread}, {"keep_spread", keep_spread}, {"spread_of", spread_of},
      {"attach_spread", attach_spread}, {"run_times", run_times}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
