/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of numbers as short text, for Lua. */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>

#include "base/compact_number.h"
#include "base/packed_numbers.h"
#include "lua/memory.h"
#include "lua/module.h"

/* Reads the first values of the array at index 1; nil and false become NaN. Returns
 * whether all are integers. */
static bool read_values(lua_State *L, double *values, size_t count) {
  bool are_integers = true;
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    values[i] = lua_toboolean(L, -1) ? luaL_checknumber(L, -1) : NAN;
    lua_pop(L, 1);
    are_integers = are_integers && gp_is_whole(values[i]);
  }
  return are_integers;
}

/* Puts integers, or their differences, at `out`. Returns the end. */
static char *put_integers(char *out, const double *values, size_t count, bool differs) {
  int64_t last = 0;
  *out++ = differs ? 'd' : 'i';
  for (size_t i = 0; i < count; i++) {
    int64_t number = (int64_t)values[i];
    out += gp_pack_integer(out, number - last);
    if (differs) last = number;
  }
  return out;
}

/* Puts numbers at `out`. Returns the end; NULL if one of them cannot be packed. */
static char *put_numbers(char *out, const double *values, size_t count) {
  *out++ = 'f';
  for (size_t i = 0; i < count; i++) {
    size_t length = gp_pack_number(out, values[i]);
    if (length == 0) return NULL;
    out += length;
  }
  return out;
}

/* packed_numbers(values, count) -> the first `count` of the values as text, see
 * base/packed_numbers.h; nil if one of them cannot be packed. nil becomes null. */
static int pack_numbers(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t count = (size_t)luaL_checkinteger(L, 2), room = 1 + count * GP_PACKED_SIZE;
  void **guard = gp_push_guard(L);
  double *values = *guard = malloc(count * sizeof *values + 2 * room);
  if (!values) return gp_raise_no_memory(L);
  char *text = (char *)(values + count), *end;
  if (read_values(L, values, count)) {
    char *other = text + room, *other_end = put_integers(other, values, count, true);
    end = put_integers(text, values, count, false);
    if (other_end - other < end - text) {
      text = other;
      end = other_end;
    }
  } else {
    end = put_numbers(text, values, count);
  }
  if (end)
    lua_pushlstring(L, text, (size_t)(end - text));
  else
    lua_pushnil(L);
  free(values);
  *guard = NULL;
  return 1;
}

void gp_define_packing(lua_State *L) {
  static const luaL_Reg functions[] = {{"packed_numbers", pack_numbers}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
