/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes messages as protocol buffers, for Lua; see gprof.format.protobuf. */
#include <lauxlib.h>
#include <string.h>

#include "lua/module.h"

enum { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

/* The longest varint in bytes. */
enum { VARINT_SIZE = 10 };

/* Puts a number at `out`, seven bits a byte, the lowest first. Returns the length. */
static size_t put_varint(char *out, uint64_t number) {
  size_t length = 0;
  for (; number > 127; number >>= 7) out[length++] = (char)(number | 128);
  out[length++] = (char)number;
  return length;
}

static void add_varint(luaL_Buffer *buffer, uint64_t number) {
  luaL_addsize(buffer, put_varint(luaL_prepbuffsize(buffer, VARINT_SIZE), number));
}

static void add_tag(luaL_Buffer *buffer, uint64_t field, unsigned wire) {
  add_varint(buffer, field << 3 | wire);
}

/* Inserts the tag and the length of a field before its value, which is what was added
 * from `start` on. */
static void insert_length(luaL_Buffer *buffer, uint64_t field, size_t start) {
  char head[2 * VARINT_SIZE];
  size_t length = luaL_bufflen(buffer) - start;
  size_t room = put_varint(head, field << 3 | WIRE_BYTES);
  room += put_varint(head + room, length);
  luaL_prepbuffsize(buffer, room);
  char *value = luaL_buffaddr(buffer) + start;
  memmove(value + room, value, length);
  memcpy(value, head, room);
  luaL_addsize(buffer, room);
}

/* Adds the integers of the array at `index`. */
static void add_varints(lua_State *L, luaL_Buffer *buffer, int index) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, index);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, index, i);
    uint64_t number = (uint64_t)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    add_varint(buffer, number);
  }
}

/* Adds a field with the value at `index`. Numbers that are 0 are left out. */
static void add_field(lua_State *L, luaL_Buffer *buffer, uint64_t field, int index) {
  size_t length, start = luaL_bufflen(buffer);
  const char *text;
  uint64_t number;
  switch (lua_type(L, index)) {
    case LUA_TNIL:
      return;
    case LUA_TSTRING:
      text = lua_tolstring(L, index, &length);
      add_tag(buffer, field, WIRE_BYTES);
      add_varint(buffer, length);
      luaL_addlstring(buffer, text, length);
      return;
    case LUA_TTABLE:
      add_varints(L, buffer, index);
      insert_length(buffer, field, start);
      return;
    case LUA_TBOOLEAN:
      number = (uint64_t)lua_toboolean(L, index);
      break;
    default:
      number = (uint64_t)luaL_checkinteger(L, index);
  }
  if (number == 0) return;
  add_tag(buffer, field, WIRE_NUMBER);
  add_varint(buffer, number);
}

/* Adds the fields whose numbers and values are the arguments from `first` on. A missing
 * last value is nil. */
static void add_fields(lua_State *L, luaL_Buffer *buffer, int first, int last) {
  for (int i = first; i < last; i += 2)
    add_field(L, buffer, (uint64_t)luaL_checkinteger(L, i), i + 1);
}

/* protobuf_fields(field, value...) -> text; see gprof.format.protobuf */
static int encode_fields(lua_State *L) {
  int last = lua_gettop(L);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  add_fields(L, &buffer, 1, last);
  luaL_pushresult(&buffer);
  return 1;
}

/* protobuf_message(number, field, value...) -> text; see gprof.format.protobuf */
static int encode_message(lua_State *L) {
  int last = lua_gettop(L);
  uint64_t field = (uint64_t)luaL_checkinteger(L, 1);
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  add_fields(L, &buffer, 2, last);
  insert_length(&buffer, field, 0);
  luaL_pushresult(&buffer);
  return 1;
}

void gp_define_protobuf(lua_State *L) {
  static const luaL_Reg functions[] = {{"protobuf_fields", encode_fields},
                                       {"protobuf_message", encode_message},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
