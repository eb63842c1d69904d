/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slides (offsets between recorded and linked addresses) for Lua. */
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/image.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/symbols.h"
#include "profile/slide.h"

static void set_count(lua_State *L, const char *name, size_t count) {
  lua_pushinteger(L, (lua_Integer)count);
  lua_setfield(L, -2, name);
}

/* find_slide(image, symbols, data) -> table with the fields of a gp_slide; or nil and a
 * message without a file name */
static int find_slide(lua_State *L) {
  const gp_image *image = gp_check_image(L, 1);
  const gp_symbols_box *symbols = gp_check_symbols(L, 2);
  const gp_data *data = gp_check_data(L, 3);
  gp_slide found;
  gp_error error = {""};
  if (!gp_slide_find(&found, data, &symbols->symtab, image, &error))
    return gp_push_error(L, &error);
  lua_createtable(L, 0, 5);
  lua_pushinteger(L, (lua_Integer)found.offset);
  lua_setfield(L, -2, "offset");
  set_count(L, "arcs", found.arcs);
  set_count(L, "fitting", found.fitting);
  set_count(L, "unmoved", found.unmoved);
  lua_pushboolean(L, found.covers);
  lua_setfield(L, -2, "covers");
  return 1;
}

/* Returns the functions of the symbols at `index`, even if these are by line. */
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
  size_t sampled, found = gp_slide_sample(gp_check_data(L, 2), symtab, &sampled);
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
  lua_pushinteger(L, (lua_Integer)gp_slide_entries(data, symtab, offset));
  return 2;
}

/* data:slide(offset [, wrap]) -> data; or nil and a message without a file name.
 * Subtracts `offset` from all addresses; a failure leaves the data unchanged. With
 * `wrap`, addresses may wrap around the address space, as an offset from find_slide can
 * require. */
static int slide(lua_State *L) {
  gp_data *data = gp_check_data(L, 1);
  uint64_t offset = (uint64_t)luaL_checkinteger(L, 2);
  gp_error error = {""};
  if (gp_slide_apply(data, offset, !lua_toboolean(L, 3), &error)) {
    gp_staging_free(&((gp_data_box *)lua_touserdata(L, 1))->staging);
    lua_settop(L, 1);
    return 1;
  }
  return gp_push_error(L, &error);
}

void gp_define_slide(lua_State *L) {
  static const luaL_Reg functions[] = {{"find_slide", find_slide},
                                       {"sampled_entries", sample_entries},
                                       {"arcs_at_entries", count_entries},
                                       {NULL, NULL}};
  static const luaL_Reg data_methods[] = {{"slide", slide}, {NULL, NULL}};
  gp_define_methods(L, GP_DATA, data_methods);
  luaL_setfuncs(L, functions, 0);
}
