/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Iterators over the parts of an object. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lua/iteration.h"
#include "lua/memory.h"
#include "lua/module.h"

#define GP_ITERATION "gprof.iteration"

static int release_rows(lua_State *L) {
  gp_iteration *each = luaL_checkudata(L, 1, GP_ITERATION);
  gp_rows_free(&each->rows);
  return 0;
}

/* Raises an error about the first value of a row: nil would end the loop without a
 * word. */
static int refuse_nil(lua_State *L, const gp_iteration *each, const gp_part *p) {
  each->kind->push(L, p);
  const char *part = luaL_tolstring(L, -1, NULL);
  return luaL_error(L,
                    "field '%s' is nil for %s: the first field must not be nil, because "
                    "nil would end the loop; name 'id' first",
                    each->fields[0]->name, part);
}

/* The iterator function. Upvalues: the iteration; the object. */
static int next_row(lua_State *L) {
  gp_iteration *each = lua_touserdata(L, lua_upvalueindex(1));
  const int whole = lua_upvalueindex(2);
  if (each->done >= each->rows.count) return 0;
  lua_settop(L, 0);
  if (each->field_count > LUA_MINSTACK - 8)
    luaL_checkstack(L, each->field_count + 8, "too many fields");
  const void *owner = each->kind->open(L, whole);
  const uint32_t *row = each->rows.row + each->done;
  if (each->kind->prefetch)
    each->kind->prefetch(owner, row, each->rows.count - each->done);
  each->done++;
  gp_part p = {L, each->kind, owner, *row, whole};
  if (each->field_count == 0) each->kind->push(L, &p);
  for (int i = 0; i < each->field_count; i++) gp_push_field(&p, each->fields[i]);
  if (lua_isnil(L, 1)) return refuse_nil(L, each, &p);
  return each->field_count > 0 ? each->field_count : 1;
}

/* Pushes the iterator function of the iteration on the top of the stack. */
static void push_next(lua_State *L) {
  lua_pushvalue(L, -1);
  lua_getiuservalue(L, -1, 1);
  lua_pushcclosure(L, next_row, 2);
}

/* Pushes an iteration with room for `fields` fields. */
static gp_iteration *push_iteration(lua_State *L, const gp_part_kind *kind, int whole,
                                    int fields) {
  gp_iteration *each =
      lua_newuserdatauv(L, sizeof *each + (size_t)fields * sizeof *each->fields, 1);
  *each = (gp_iteration){.kind = kind, .field_count = fields};
  luaL_setmetatable(L, GP_ITERATION);
  lua_pushvalue(L, whole);
  lua_setiuservalue(L, -2, 1);
  return each;
}

gp_iteration *gp_new_iteration(lua_State *L, const gp_part_kind *kind, int whole,
                               int order) {
  int count = lua_gettop(L) > order ? lua_gettop(L) - order : 0;
  lua_settop(L, order + count);
  luaL_checkstack(L, count + 8, "too many fields");
  gp_iteration *each = push_iteration(L, kind, whole, count);
  each->order = order;
  lua_getfield(L, LUA_REGISTRYINDEX, kind->fields);
  for (int i = 0; i < count; i++) each->fields[i] = gp_check_field(L, order + 1 + i);
  lua_pop(L, 1);
  return each;
}

int gp_order_option(lua_State *L, int index, const char *const names[]) {
  if (lua_isnoneornil(L, index)) return 0;
  if (lua_type(L, index) == LUA_TFUNCTION) return -1;
  if (lua_type(L, index) != LUA_TSTRING)
    luaL_typeerror(L, index, "field name or function");
  for (int i = 0; names && names[i]; i++)
    if (strcmp(lua_tostring(L, index), names[i]) == 0) return i;
  return -1;
}

/* --- sorting in Lua ----------------------------------------------------------- */

/* Registry key of the function that sorts. */
#define SORTER "gprof.sorter"

/* set_sorter(function): sets the function that sorts parts; gprof.library.sorting
 * documents its arguments and results */
static int set_sorter(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, SORTER);
  return 0;
}

/* Pushes an iteration over the sort keys of the rows, which it takes over from `each`. If
 * a function compares the rows, a key is an object; otherwise, it is a number and a field
 * value. */
static gp_iteration *push_keys(lua_State *L, gp_iteration *each, int whole) {
  bool by_field = lua_type(L, each->order) == LUA_TSTRING;
  gp_iteration *keys = push_iteration(L, each->kind, whole, by_field ? 2 : 0);
  if (by_field) {
    lua_getfield(L, LUA_REGISTRYINDEX, each->kind->fields);
    lua_getfield(L, -1, "id");
    keys->fields[0] = lua_touserdata(L, -1);
    lua_pop(L, 1);
    keys->fields[1] = gp_check_field(L, each->order);
    lua_pop(L, 1);
  }
  keys->rows = each->rows;
  each->rows = (gp_rows){.row = NULL};
  return keys;
}

/* Sorts the rows of the iteration on the top of the stack by its order argument. */
static void sort_rows(lua_State *L, gp_iteration *each) {
  size_t count = each->rows.count;
  lua_getiuservalue(L, -1, 1);
  int whole = lua_gettop(L);
  if (lua_getfield(L, LUA_REGISTRYINDEX, SORTER) != LUA_TFUNCTION)
    luaL_error(L, "no sort function: call set_sorter first");
  lua_pushvalue(L, each->order);
  push_keys(L, each, whole);
  push_next(L);
  lua_remove(L, -2);
  lua_call(L, 2, 2);
  if (!lua_istable(L, -2)) luaL_argerror(L, each->order, lua_tostring(L, -1));
  each->rows.row = gp_column(count, sizeof *each->rows.row);
  each->rows.count = count;
  for (size_t i = 0; each->rows.row && i < count; i++) {
    lua_rawgeti(L, -2, (lua_Integer)i + 1);
    each->rows.row[i] = (uint32_t)(lua_tointeger(L, -1) - 1);
    lua_pop(L, 1);
  }
  lua_settop(L, whole - 1);
}

int gp_return_counting(lua_State *L, lua_CFunction next) {
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next, 2);
  return 1;
}

int gp_return_loop(lua_State *L, lua_CFunction next) {
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, next, 1);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, -4);  /* closed when the loop is left */
  return 4;
}

int gp_return_iteration(lua_State *L, bool sorted) {
  gp_iteration *each = lua_touserdata(L, -1);
  if (each->rows.row && !sorted) sort_rows(L, each);
  if (!each->rows.row) return gp_raise_no_memory(L);
  push_next(L);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, -4);  /* closed when the loop is left */
  return 4;
}

void gp_define_iteration(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", release_rows}, {"__close", release_rows}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"set_sorter", set_sorter}, {NULL, NULL}};
  luaL_newmetatable(L, GP_ITERATION);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
