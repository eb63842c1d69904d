/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fit of data to an image, for Lua. */
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/image.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/symbols.h"
#include "profile/fit/fit.h"
#include "profile/unattributed.h"

/* Returns the table of functions at `index`. For a table by line, returns the table of
 * functions that it was made from. */
static const gp_symtab *check_functions(lua_State *L, int index) {
  const gp_symbols_box *symbols = gp_check_symbols(L, index);
  lua_getiuservalue(L, index, GP_SYMBOLS_FUNCTIONS);
  const gp_symbols_box *functions = luaL_testudata(L, -1, GP_SYMBOLS);
  lua_pop(L, 1);  /* the symbols keep the functions alive */
  return functions ? &functions->symtab : &symbols->symtab;
}

/* sampled_entries(symbols, data) -> fraction of callees that are function entries,
 * estimated from a few arcs; 1 if there are no arcs */
static int sample_entries(lua_State *L) {
  const gp_symtab *symtab = check_functions(L, 1);
  size_t sampled, found = gp_fit_sample(gp_check_data(L, 2), symtab, &sampled);
  lua_pushnumber(L, sampled > 0 ? (lua_Number)found / (lua_Number)sampled : 1);
  return 1;
}

/* arcs_at_entries(symbols, data [, offset]) -> number of arcs, number of arcs whose
 * callee is a function entry once `offset` is subtracted */
static int count_entries(lua_State *L) {
  const gp_symtab *symtab = check_functions(L, 1);
  const gp_data *data = gp_check_data(L, 2);
  uint64_t offset = (uint64_t)luaL_optinteger(L, 3, 0);
  lua_pushinteger(L, (lua_Integer)data->arcs.count);
  lua_pushinteger(L, (lua_Integer)gp_fit_entries(data, symtab, offset));
  return 2;
}

/* lacks_local_symbols(image) -> whether local symbols were stripped. False if the symbols
 * of the image have not been read. */
static int find_locals(lua_State *L) {
  lua_pushboolean(L, gp_fit_lacks_locals(gp_check_image(L, 1)));
  return 1;
}

/* symbols_within(symbols, low, high) -> number of functions that begin in a range */
static int count_within(lua_State *L) {
  const gp_symbols_box *symbols = gp_check_symbols(L, 1);
  uint64_t low = (uint64_t)luaL_checkinteger(L, 2);
  uint64_t high = (uint64_t)luaL_checkinteger(L, 3);
  uint32_t before = low > 0 ? gp_symtab_above(&symbols->symtab, low - 1) : 0;
  uint32_t up_to = high > low ? gp_symtab_above(&symbols->symtab, high - 1) : before;
  lua_pushinteger(L, up_to - before);
  return 1;
}

/* uncovered_arcs(image, symbols, data) -> number of arcs to code without a symbol */
static int count_uncovered(lua_State *L) {
  const gp_image *image = gp_check_image(L, 1);
  const gp_symtab *symtab = check_functions(L, 2);
  const gp_data *data = gp_check_data(L, 3);
  lua_pushinteger(L, (lua_Integer)gp_unattributed_callees(image, symtab, data));
  return 1;
}

/* histogram_fits(image, data) -> whether the histogram may be from this build of the
 * image (see gp_fit_histogram) */
static int fit_histogram(lua_State *L) {
  gp_image *image = gp_check_image(L, 1);
  lua_pushboolean(L, gp_fit_histogram(gp_check_data(L, 2), image));
  return 1;
}

/* seem_to_fit(image, symbols, data) -> whether the histogram may be from this build, and
 * at least nine of ten callees in a small sample of arcs are function entries */
static int fit_quickly(lua_State *L) {
  gp_image *image = gp_check_image(L, 1);
  const gp_symtab *symtab = check_functions(L, 2);
  const gp_data *data = gp_check_data(L, 3);
  size_t sampled, found = gp_fit_sample(data, symtab, &sampled);
  lua_pushboolean(L, 10 * found >= 9 * sampled && gp_fit_histogram(data, image));
  return 1;
}

void gp_define_fit(lua_State *L) {
  static const luaL_Reg functions[] = {{"sampled_entries", sample_entries},
                                       {"arcs_at_entries", count_entries},
                                       {"lacks_local_symbols", find_locals},
                                       {"symbols_within", count_within},
                                       {"uncovered_arcs", count_uncovered},
                                       {"histogram_fits", fit_histogram},
                                       {"seem_to_fit", fit_quickly},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
