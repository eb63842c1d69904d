/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads selections from a Lua table. Its keys name what functions or arcs are selected
 * for; functions are given by number:
 *
 *     { flat = { include = { 1, 2 }, exclude = { 7 } }, graph = ..., time = ...,
 *       annotation = ..., executions = ...,
 *       arcs = { include = { { { 1, 2 }, { 3 } }, { true, { 4 } } }, exclude = ... } }
 *
 * Arcs are pairs of callers and callees. `true` stands for all functions.
 */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/selection.h"

#define GP_SELECTIONS "gprof.selections"

static int release(lua_State *L) {
  gp_selections_free(luaL_checkudata(L, 1, GP_SELECTIONS));
  return 0;
}

/* Returns element `i` of the list on the top of the stack, a function number, as a
 * row. */
static uint32_t check_row(lua_State *L, lua_Integer i, size_t functions) {
  lua_rawgeti(L, -1, i);
  lua_Integer id = luaL_checkinteger(L, -1);
  if (id < 1 || (lua_Unsigned)id > functions)
    luaL_error(L, "no function with number %I", id);
  lua_pop(L, 1);
  return (uint32_t)(id - 1);
}

/* Sets `*column` to an array with a byte for each function: 1 if the list on the top of
 * the stack contains it. Leaves `*column` unchanged if the value there is not a table. */
static void take_bytes(lua_State *L, uint8_t **column, size_t functions) {
  if (!lua_istable(L, -1)) return;
  lua_Integer length = luaL_len(L, -1);
  *column = gp_column(functions, 1);
  if (!*column) gp_raise_no_memory(L);
  for (lua_Integer i = 1; i <= length; i++) (*column)[check_row(L, i, functions)] = 1;
}

static int by_number(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* Reads the list on the top of the stack, or `true` for all functions. */
static void take_functions(lua_State *L, gp_functions *taken, size_t functions) {
  taken->all = lua_isboolean(L, -1);
  if (taken->all) return;
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_Integer length = luaL_len(L, -1);
  taken->rows = gp_column((size_t)length, sizeof *taken->rows);
  if (!taken->rows) gp_raise_no_memory(L);
  for (lua_Integer i = 1; i <= length; i++)
    taken->rows[taken->count++] = check_row(L, i, functions);
  qsort(taken->rows, taken->count, sizeof *taken->rows, by_number);
}

/* Reads the list of pairs on the top of the stack. */
static void take_arcs(lua_State *L, gp_arc_table *table, size_t functions) {
  lua_Integer length = lua_istable(L, -1) ? luaL_len(L, -1) : 0;
  if (length == 0) return;
  table->entries = gp_column((size_t)length, sizeof *table->entries);
  if (!table->entries) gp_raise_no_memory(L);
  for (lua_Integer i = 1; i <= length; i++) {
    lua_rawgeti(L, -1, i);
    luaL_checktype(L, -1, LUA_TTABLE);
    gp_arc_entry *entry = &table->entries[table->count++];
    lua_rawgeti(L, -1, 1);
    take_functions(L, &entry->callers, functions);
    lua_pop(L, 1);
    lua_rawgeti(L, -1, 2);
    take_functions(L, &entry->callees, functions);
    lua_pop(L, 2);
  }
}

/* Pushes tables[stage][side], or nil. `side` is "include" or "exclude". */
static void push_side(lua_State *L, int tables, const char *stage, const char *side) {
  if (lua_getfield(L, tables, stage) == LUA_TTABLE) {
    lua_getfield(L, -1, side);
    lua_remove(L, -2);
  }
}

gp_selections *gp_push_selections(lua_State *L, int index, size_t functions) {
  static const char *const stages[GP_STAGES] = {
      [GP_FLAT] = "flat", [GP_PRINT] = "graph", [GP_TIME] = "time",
      [GP_ANNOTATION] = "annotation", [GP_EXECUTIONS] = "executions"};
  gp_selections *selections = lua_newuserdatauv(L, sizeof *selections, 0);
  memset(selections, 0, sizeof *selections);
  luaL_setmetatable(L, GP_SELECTIONS);
  if (!lua_istable(L, index)) return selections;
  for (size_t i = 0; i < GP_STAGES; i++) {
    push_side(L, index, stages[i], "include");
    take_bytes(L, &selections->of[i].include, functions);
    push_side(L, index, stages[i], "exclude");
    take_bytes(L, &selections->of[i].exclude, functions);
    lua_pop(L, 2);
  }
  push_side(L, index, "arcs", "include");
  take_arcs(L, &selections->arcs.include, functions);
  push_side(L, index, "arcs", "exclude");
  take_arcs(L, &selections->arcs.exclude, functions);
  lua_pop(L, 2);
  return selections;
}

void gp_define_selection(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {NULL, NULL}};
  luaL_newmetatable(L, GP_SELECTIONS);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
