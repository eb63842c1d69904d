/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges a program and shared libraries into one profile, for Lua. */
#include <lauxlib.h>

#include "lua/data.h"
#include "lua/module.h"
#include "lua/symbols.h"
#include "profile/merged_objects.h"

/* Fills an object from the table { symbols, data, name } on the top of the stack. The
 * table keeps all three alive, because no Lua code runs that could change it. */
static void take_object(lua_State *L, gp_merged_object *object) {
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  bool named = lua_rawgeti(L, -3, 3) != LUA_TNIL;
  if (named) luaL_checktype(L, lua_absindex(L, -1), LUA_TSTRING);
  *object = (gp_merged_object){
      .symtab = &gp_check_symbols(L, lua_absindex(L, -3))->symtab,
      .data = gp_check_data(L, lua_absindex(L, -2)),
      .name = named ? lua_tostring(L, -1) : NULL,
  };
  lua_pop(L, 3);
}

static void set_address(lua_State *L, const char *name, uint64_t address) {
  lua_pushinteger(L, (lua_Integer)address);
  lua_setfield(L, -2, name);
}

/* Pushes an array with a table for each object. Each table has the fields `slide` (added
 * to the object's addresses), `limit` (one past the end of the addresses before the slide
 * is added) and `outside` (the address of <outside>, if there is one). */
static void push_places(lua_State *L, const gp_merged_object *objects, size_t count) {
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    const gp_symtab *symtab = objects[i].symtab;
    lua_createtable(L, 0, 3);
    set_address(L, "slide", objects[i].slide);
    set_address(L, "limit", objects[i].end);
    if (symtab->outside != GP_NONE)
      set_address(L, "outside", symtab->address[symtab->outside] + objects[i].slide);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* Returns nil, a message, and the number of the object that caused the error. */
static int fail(lua_State *L, const gp_error *error, size_t object) {
  luaL_pushfail(L);
  lua_pushstring(L, error->text);
  lua_pushinteger(L, (lua_Integer)object + 1);
  return 3;
}

/* merge_objects(data, objects) -> symbols of all objects, table of the addresses of the
 * objects (see push_places); or nil, a message, and the number of the object. Adds to
 * `data`, which must be empty, all records except calls that enter or leave an object. */
static int merge_objects(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  size_t count = lua_rawlen(L, 2);
  luaL_argcheck(L, count > 0, 2, "empty list of objects");
  gp_merged_object *objects = lua_newuserdatauv(L, count * sizeof *objects, 0);
  gp_symbols_box *box = gp_push_merged_symbols(L);
  gp_data *sum = gp_check_data(L, 1);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    take_object(L, &objects[i]);
    lua_pop(L, 1);
  }
  gp_error error = {""};
  sum->mixed_scales = true;
  if (!gp_merged_objects_build(&box->symtab, objects, count, &error))
    return fail(L, &error, 0);
  for (size_t i = 0; i < count; i++)
    if (!gp_merged_objects_add(sum, &objects[i], &error)) return fail(L, &error, i);
  push_places(L, objects, count);
  return 2;
}

void gp_define_merged_objects(lua_State *L) {
  static const luaL_Reg functions[] = {{"merge_objects", merge_objects}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
