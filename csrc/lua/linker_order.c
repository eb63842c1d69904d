/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Link orders of functions and object files for Lua. */
#include <lauxlib.h>
#include <string.h>

#include "base/array.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/profile.h"
#include "lua/stream.h"
#include "profile/linker_order.h"

#define GP_LINKER_ARCS "gprof.linker_arcs"

static int release(lua_State *L) {
  gp_linker_arcs_free(luaL_checkudata(L, 1, GP_LINKER_ARCS));
  return 0;
}

/* Pushes a userdata with empty arcs, which the collector frees. */
static gp_linker_arcs *push_arcs(lua_State *L) {
  gp_linker_arcs *arcs = lua_newuserdatauv(L, sizeof *arcs, 0);
  *arcs = (gp_linker_arcs){0};
  luaL_setmetatable(L, GP_LINKER_ARCS);
  return arcs;
}

/* Returns item `i` of the array at stack index `index`, a number of a node or an arc. */
static uint32_t number_at(lua_State *L, int index, lua_Integer i) {
  lua_rawgeti(L, index, i);
  lua_Integer number = lua_tointeger(L, -1);
  if (number < 1 || number > (lua_Integer)UINT32_MAX - 1)
    luaL_error(L, "invalid number of a function, file or arc");
  lua_pop(L, 1);
  return (uint32_t)(number - 1);
}

static double calls_at(lua_State *L, int index, lua_Integer i) {
  lua_rawgeti(L, index, i);
  double calls = luaL_checknumber(L, -1);
  lua_pop(L, 1);
  return calls;
}

/* Reads the arcs in the columns of the table at stack index `index`. */
static void read_table(lua_State *L, int index, gp_linker_arcs *arcs) {
  int top = lua_gettop(L);
  static const char *const columns[] = {"caller", "callee", "count", "created"};
  for (int i = 0; i < 4; i++)
    if (lua_getfield(L, index, columns[i]) != LUA_TTABLE)
      luaL_argerror(L, index, "columns of arcs expected");
  lua_Integer count = (lua_Integer)lua_rawlen(L, top + 1);
  for (lua_Integer i = 1; i <= count; i++) {
    uint32_t caller = number_at(L, top + 1, i), callee = number_at(L, top + 2, i);
    double calls = calls_at(L, top + 3, i);
    if (!gp_linker_arcs_add(arcs, caller, callee, calls, number_at(L, top + 4, i)))
      gp_raise_no_memory(L);
  }
  lua_settop(L, top);
}

/* Pushes the arcs at stack index `index`: columns, or a profile. */
static const gp_linker_arcs *push_arcs_of(lua_State *L, int index) {
  const gp_profile *profile =
      lua_istable(L, index) ? NULL : gp_check_profile(L, index);
  gp_linker_arcs *arcs = push_arcs(L);
  if (!profile)
    read_table(L, index, arcs);
  else if (!gp_linker_arcs_read(arcs, &profile->graph))
    gp_raise_no_memory(L);
  return arcs;
}

/* Pushes the rows of the array of numbers at stack index `index`. */
static const gp_rows *push_nodes(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  size_t count = lua_rawlen(L, index);
  gp_rows *nodes = gp_push_row_list(L);
  nodes->row = gp_column(count, sizeof *nodes->row);
  if (!nodes->row) gp_raise_no_memory(L);
  for (; nodes->count < count; nodes->count++)
    nodes->row[nodes->count] = number_at(L, index, (lua_Integer)nodes->count + 1);
  return nodes;
}

/* Pushes an array of the numbers of rows. */
static int push_numbers(lua_State *L, const gp_rows *rows) {
  lua_createtable(L, (int)rows->count, 0);
  for (size_t i = 0; i < rows->count; i++) {
    lua_pushinteger(L, (lua_Integer)rows->row[i] + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* order_functions(nodes, arcs, faulty) -> the order, an array of nodes. See
 * profile/linker_order.h. `arcs` is a table of the columns caller, callee, count and
 * created; or a profile. */
static int order_functions(lua_State *L) {
  lua_settop(L, 3);
  const gp_rows *nodes = push_nodes(L, 1);
  const gp_linker_arcs *arcs = push_arcs_of(L, 2);
  gp_rows *order = gp_push_row_list(L);
  if (!gp_linker_order_functions(nodes->row, nodes->count, arcs, lua_toboolean(L, 3),
                                 order))
    gp_raise_no_memory(L);
  return push_numbers(L, order);
}

/* order_files(nodes, arcs) -> the order, an array of nodes */
static int order_files(lua_State *L) {
  lua_settop(L, 2);
  const gp_rows *nodes = push_nodes(L, 1);
  const gp_linker_arcs *arcs = push_arcs_of(L, 2);
  gp_rows *order = gp_push_row_list(L);
  if (!gp_linker_order_files(nodes->row, nodes->count, arcs, order))
    gp_raise_no_memory(L);
  return push_numbers(L, order);
}

/* Whether a function order lists a symbol: not a function that was only inlined, nor an
 * entry of a shared library that is no function, such as `<plt>`. */
static bool is_listed(const gp_symtab *symtab, uint32_t symbol) {
  return !gp_symtab_is_inlined(symtab, symbol) &&
         (symtab->outside == GP_NONE || symtab->name[symbol][0] != '<');
}

/* write_function_order(stream, profile, faulty): writes the names of all functions in
 * the order, one a line. */
static int write_function_order(lua_State *L) {
  gp_stream *s = gp_check_stream(L, 1);
  const gp_profile *profile = gp_check_profile(L, 2);
  const gp_profile_box *box = lua_touserdata(L, 2);
  gp_rows *nodes = gp_push_row_list(L), *order = gp_push_row_list(L);
  const gp_linker_arcs *arcs = push_arcs_of(L, 2);
  nodes->row = gp_order_functions(&profile->graph, GP_BY_ADDRESS, &nodes->count);
  if (!nodes->row || !gp_linker_order_functions(nodes->row, nodes->count, arcs,
                                                lua_toboolean(L, 3), order))
    gp_raise_no_memory(L);
  for (size_t i = 0; i < order->count; i++) {
    const gp_symtab *symtab = gp_open_profile(L, box)->symtab;
    if (!is_listed(symtab, order->row[i])) continue;
    const char *name = symtab->name[order->row[i]];
    gp_write_bytes(L, 1, s, name, strlen(name));
    gp_write_bytes(L, 1, s, "\n", 1);
  }
  return 0;
}

void gp_define_linker_order(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"order_functions", order_functions},
                                       {"order_files", order_files},
                                       {"write_function_order", write_function_order},
                                       {NULL, NULL}};
  luaL_newmetatable(L, GP_LINKER_ARCS);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
