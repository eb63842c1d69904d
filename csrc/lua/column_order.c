/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the values in a column, and columns in such an order, for Lua. */
#include <lauxlib.h>
#include <string.h>

#include "base/sort.h"
#include "lua/memory.h"
#include "lua/module.h"

static bool is_less_integer(const void *context, uint32_t b, uint32_t a) {
  const lua_Integer *numbers = context;
  return numbers[b] < numbers[a];
}

static bool is_less_number(const void *context, uint32_t b, uint32_t a) {
  const lua_Number *numbers = context;
  return numbers[b] < numbers[a];
}

/* Reads the integers of the array at index 1. Returns false if there are others. */
static bool read_integers(lua_State *L, lua_Integer *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    int is_integer = lua_rawgeti(L, 1, (lua_Integer)i + 1) == LUA_TNUMBER &&
                     lua_isinteger(L, -1);
    numbers[i] = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (!is_integer) return false;
  }
  return true;
}

static void read_numbers(lua_State *L, lua_Number *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    numbers[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
}

typedef struct string {
  const char *text;
  size_t length;
} string;

/* As Lua compares strings in the locale "C". */
static bool is_less_string(const void *context, uint32_t b, uint32_t a) {
  const string *x = (const string *)context + b, *y = (const string *)context + a;
  int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
  return order < 0 || (order == 0 && x->length < y->length);
}

/* is_less(a, b) -> whether a string is less than another one */
static int is_less(lua_State *L) {
  string pair[2];
  for (int i = 0; i < 2; i++) pair[i].text = luaL_checklstring(L, i + 1, &pair[i].length);
  lua_pushboolean(L, is_less_string(pair, 0, 1));
  return 1;
}

static void read_strings(lua_State *L, string *strings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool valid = lua_rawgeti(L, 1, (lua_Integer)i + 1) == LUA_TSTRING;
    luaL_argcheck(L, valid, 1, "strings expected");
    strings[i].text = lua_tolstring(L, -1, &strings[i].length);
    lua_pop(L, 1);  /* the array keeps it alive */
  }
}

/* Reads the array at index 1 to `values`. Returns how its values are compared. */
static gp_before *read_values(lua_State *L, void *values, size_t count) {
  bool are_strings = lua_rawgeti(L, 1, 1) == LUA_TSTRING;
  lua_pop(L, 1);
  if (are_strings) {
    read_strings(L, values, count);
    return is_less_string;
  }
  if (read_integers(L, values, count)) return is_less_integer;
  read_numbers(L, values, count);
  return is_less_number;
}

static bool in_order(gp_before *before, const void *values, size_t count) {
  for (uint32_t i = 1; i < count; i++)
    if (before(values, i, i - 1)) return false;
  return true;
}

/* Pushes a block with the values of the array at index 1. Sets their number and how they
 * are compared. */
static const void *push_values(lua_State *L, size_t *count, gp_before **before) {
  luaL_checktype(L, 1, LUA_TTABLE);
  *count = (size_t)lua_rawlen(L, 1);
  luaL_argcheck(L, *count < UINT32_MAX, 1, "too many values");
  /* a number needs no more bytes than a string */
  void *values = lua_newuserdatauv(L, (*count + 1) * sizeof(string), 0);
  *before = read_values(L, values, *count);
  return values;
}

/* column_order(values) -> array of the positions of numbers or strings, in the order of
 * the values; equal ones keep their order. Nothing if they are in order */
static int order_values(lua_State *L) {
  size_t count;
  gp_before *before;
  const void *values = push_values(L, &count, &before);
  if (in_order(before, values, count)) return 0;
  uint32_t *rows = lua_newuserdatauv(L, count * sizeof *rows, 0);
  for (size_t i = 0; i < count; i++) rows[i] = (uint32_t)i;
  if (!gp_sort(rows, count, before, values)) return gp_raise_no_memory(L);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushinteger(L, (lua_Integer)rows[i] + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* A heap of rows, with the one of the least value on top. */
typedef struct row_heap {
  uint32_t *row;
  size_t count;
  gp_before *before;
  const void *values;
} row_heap;

/* Moves the row at a place down until those below it are not less. */
static void sink(row_heap *heap, size_t at) {
  uint32_t row = heap->row[at];
  for (size_t below = 2 * at + 1; below < heap->count; below = 2 * at + 1) {
    const uint32_t *pair = &heap->row[below];
    if (below + 1 < heap->count && heap->before(heap->values, pair[1], pair[0])) below++;
    if (!heap->before(heap->values, heap->row[below], row)) break;
    heap->row[at] = heap->row[below];
    at = below;
  }
  heap->row[at] = row;
}

/* threshold(values, most) -> the least of the `most` largest values; nil if there are not
 * more values */
static int find_threshold(lua_State *L) {
  size_t count;
  row_heap heap = {.count = (size_t)luaL_checkinteger(L, 2)};
  heap.values = push_values(L, &count, &heap.before);
  if (count <= heap.count || heap.count == 0) return 0;
  heap.row = lua_newuserdatauv(L, heap.count * sizeof *heap.row, 0);
  for (uint32_t i = 0; i < heap.count; i++) heap.row[i] = i;
  for (size_t i = heap.count / 2; i-- > 0;) sink(&heap, i);
  for (uint32_t i = (uint32_t)heap.count; i < count; i++) {
    if (!heap.before(heap.values, heap.row[0], i)) continue;
    heap.row[0] = i;
    sink(&heap, 0);
  }
  lua_rawgeti(L, 1, (lua_Integer)heap.row[0] + 1);
  return 1;
}

/* picked(values, places) -> an array with the value at each of the places */
static int pick(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  lua_createtable(L, (int)count, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 2, i);
    lua_rawgeti(L, 1, lua_tointeger(L, -1));
    lua_rawseti(L, 3, i);
    lua_pop(L, 1);
  }
  return 1;
}

void gp_define_column_order(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"column_order", order_values}, {"threshold", find_threshold}, {"picked", pick},
      {"is_less", is_less}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
