/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges a program and shared libraries into one profile, for Lua. */
#include <lauxlib.h>
#include <stdlib.h>

#include "lua/data.h"
#include "lua/module.h"
#include "lua/symbols.h"
#include "profile/merged_objects.h"
#include "symbols/code_ends.h"

static uint64_t address_at(lua_State *L, int number) {
  lua_rawgeti(L, -1, number);
  uint64_t address = (uint64_t)luaL_optinteger(L, -1, 0);
  lua_pop(L, 1);
  return address;
}

/* Fills an object from the table { symbols, data, name, image, low, high } on the top of
 * the stack; the image is not used here. All items but the first are optional, and so is
 * the first if there are `low` and `high`. The table keeps them alive, because no Lua
 * code runs that could change it. Returns the image of the symbols. */
static const gp_image *take_object(lua_State *L, gp_merged_object *object) {
  luaL_checktype(L, -1, LUA_TTABLE);
  *object = (gp_merged_object){.whole = {address_at(L, 5), address_at(L, 6)}};
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  bool named = lua_rawgeti(L, -3, 3) != LUA_TNIL;
  if (named) luaL_checktype(L, lua_absindex(L, -1), LUA_TSTRING);
  bool known = object->whole.low >= object->whole.high || lua_toboolean(L, -3);
  gp_symbols_box *box = known ? gp_check_symbols(L, lua_absindex(L, -3)) : NULL;
  if (box) object->symtab = &box->symtab;
  if (lua_toboolean(L, -2)) object->data = gp_check_data(L, lua_absindex(L, -2));
  object->name = named ? lua_tostring(L, -1) : NULL;
  lua_pop(L, 3);
  return box ? box->image->image : NULL;
}

static void set_address(lua_State *L, const char *name, uint64_t address) {
  lua_pushinteger(L, (lua_Integer)address);
  lua_setfield(L, -2, name);
}

/* Returns nil, a message, and the number of the object that caused the error. */
static int fail(lua_State *L, const gp_error *error, size_t object) {
  luaL_pushfail(L);
  lua_pushstring(L, error->text);
  lua_pushinteger(L, (lua_Integer)object + 1);
  return 3;
}

/* The objects that are merged, and what is freed afterwards. */
typedef struct merged_list {
  size_t count;
  gp_merged_object *objects;
  const gp_image **images;
} merged_list;

/* Pushes the memory for the objects at stack index 2. */
static merged_list push_list(lua_State *L) {
  size_t count = lua_rawlen(L, 2);
  luaL_argcheck(L, count > 0, 2, "empty list of objects");
  return (merged_list){count, lua_newuserdatauv(L, count * sizeof(gp_merged_object), 0),
                       lua_newuserdatauv(L, count * sizeof(const gp_image *), 0)};
}

/* Fills a list. Creates no Lua values: that can run a finalizer that closes objects. */
static void take_objects(lua_State *L, merged_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    list->images[i] = take_object(L, &list->objects[i]);
    lua_pop(L, 1);
  }
}

/* Pushes an array with a table for each object. Each table has the fields `slide` (added
 * to the object's addresses), `limit` (one past the end of the addresses before the slide
 * is added), `unnamed` (the address of "<libx.so>", if there is one), `size` (the size of
 * the file, if known) and `outside` (the address of <outside>, if there is one). */
static void push_places(lua_State *L, const merged_list *list, gp_symbols_box *merged) {
  lua_createtable(L, (int)list->count, 0);
  for (size_t i = 0; i < list->count; i++) {
    const gp_merged_object *object = &list->objects[i];
    const gp_symtab *symtab = object->symtab;
    lua_createtable(L, 0, 5);
    gp_open_symbols(L, merged);  /* new values can run a finalizer */
    set_address(L, "slide", object->slide);
    set_address(L, "limit", object->end);
    set_address(L, "unnamed", object->unnamed);
    if (list->images[i]) set_address(L, "size", bfd_get_file_size(list->images[i]->file));
    if (symtab && symtab->outside != GP_NONE)
      set_address(L, "outside", symtab->address[symtab->outside] + object->slide);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* Finds the functions of libraries, merges the symbols, and frees what was found. */
static bool build(gp_symtab *merged, const merged_list *list, gp_error *error) {
  bool done = true;
  for (size_t i = 0; done && i < list->count; i++) {
    gp_merged_object *object = &list->objects[i];
    if (!object->symtab || object->whole.low >= object->whole.high) continue;
    object->ends = gp_code_ends(object->symtab, list->images[i]);
    done = (object->ends && gp_unnamed_code_read(&object->code, list->images[i])) ||
           gp_fail_memory(error);
  }
  done = done && gp_merged_objects_build(merged, list->objects, list->count, error);
  for (size_t i = 0; i < list->count; i++) {
    free(list->objects[i].ends);
    gp_unnamed_code_free(&list->objects[i].code);
  }
  return done;
}

/* merge_objects(data, objects) -> symbols of all objects, table of the addresses of the
 * objects (see push_places); or nil, a message, and the number of the object. Adds to
 * `data`, which must be empty, the records of objects with data, except calls that enter
 * or leave an object. */
static int merge_objects(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  merged_list list = push_list(L);
  gp_symbols_box *box = gp_push_merged_symbols(L);
  gp_data *sum = gp_check_data(L, 1);
  take_objects(L, &list);
  gp_error error = {""};
  sum->mixed_scales = true;
  if (!build(&box->symtab, &list, &error)) return fail(L, &error, 0);
  for (size_t i = 0; i < list.count; i++)
    if (list.objects[i].data && !gp_merged_objects_add(sum, &list.objects[i], &error))
      return fail(L, &error, i);
  push_places(L, &list, box);
  return 2;
}

void gp_define_merged_objects(lua_State *L) {
  static const luaL_Reg functions[] = {{"merge_objects", merge_objects}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
