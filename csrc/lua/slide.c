/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slides (offsets between recorded and linked addresses) for Lua. */
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/image.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/symbols.h"
#include "profile/fit/slide.h"

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
  lua_createtable(L, 0, 6);
  lua_pushinteger(L, (lua_Integer)found.offset);
  lua_setfield(L, -2, "offset");
  set_count(L, "arcs", found.arcs);
  set_count(L, "fitting", found.fitting);
  set_count(L, "unmoved", found.unmoved);
  lua_pushboolean(L, found.covers);
  lua_setfield(L, -2, "covers");
  lua_pushboolean(L, found.by_loader);
  lua_setfield(L, -2, "by_loader");
  return 1;
}

/* data:slide(offset [, wrap]) -> data; or nil and a message without a file name.
 * Subtracts `offset` from all addresses; a failure leaves the data unchanged. With
 * `wrap`, addresses may wrap around the address space: an offset from find_slide may
 * require this. */
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
  static const luaL_Reg functions[] = {{"find_slide", find_slide}, {NULL, NULL}};
  static const luaL_Reg data_methods[] = {{"slide", slide}, {NULL, NULL}};
  gp_define_methods(L, GP_DATA, data_methods);
  luaL_setfuncs(L, functions, 0);
}
