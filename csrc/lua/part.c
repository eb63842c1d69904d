/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of objects, and their fields. */
#include <string.h>

#include "lua/part.h"

const gp_field *gp_check_field(lua_State *L, int index) {
  luaL_checkstring(L, index);
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) != LUA_TLIGHTUSERDATA)
    luaL_argerror(L, index, lua_pushfstring(L, "no field '%s'", lua_tostring(L, index)));
  const gp_field *field = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return field;
}

void gp_check_fields(lua_State *L, const gp_part_kind *kind, int first) {
  int last = lua_gettop(L);
  lua_getfield(L, LUA_REGISTRYINDEX, kind->fields);
  for (int i = first; i <= last; i++) gp_check_field(L, i);
  lua_settop(L, last);
}

int gp_push_fields(lua_State *L, gp_part *p, int first) {
  int last = lua_gettop(L);
  luaL_checkstack(L, last + 8, "too many fields");
  lua_getfield(L, LUA_REGISTRYINDEX, p->kind->fields);
  for (int i = first; i <= last; i++) {
    lua_pushvalue(L, last + 1);
    const gp_field *field = gp_check_field(L, i);
    lua_pop(L, 1);
    gp_push_field(p, field);
  }
  return lua_gettop(L) - last - 1;
}

/* The Lua object of a part. User value 1 is the whole object. */
typedef struct part_box {
  const gp_part_kind *kind;
  uint32_t id;
} part_box;

void gp_push_part(lua_State *L, const gp_part *p, int table, const char *metatable) {
  lua_getiuservalue(L, p->whole, table);
  if (lua_rawgeti(L, -1, p->id) == LUA_TNIL) {
    lua_pop(L, 1);
    part_box *box = lua_newuserdatauv(L, sizeof *box, 1);
    *box = (part_box){p->kind, p->id};
    luaL_setmetatable(L, metatable);
    lua_pushvalue(L, p->whole);
    lua_setiuservalue(L, -2, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, p->id);
  }
  lua_remove(L, -2);
}

/* Returns the part whose object is at stack index 1. Pushes the whole object. */
static gp_part open_part(lua_State *L, const part_box *box) {
  lua_getiuservalue(L, 1, 1);
  int whole = lua_gettop(L);
  return (gp_part){L, box->kind, box->kind->open(L, whole), box->id, whole};
}

gp_part gp_check_part(lua_State *L, const char *metatable) {
  return open_part(L, luaL_checkudata(L, 1, metatable));
}

bool gp_find_part(lua_State *L, const char *metatable, gp_part *part) {
  const part_box *box = luaL_checkudata(L, 1, metatable);
  lua_getiuservalue(L, 1, 1);
  bool is_open = box->kind->is_open(lua_touserdata(L, -1));
  if (is_open)
    *part = open_part(L, box);
  else
    lua_pushfstring(L, "%s (closed)", strchr(metatable, '.') + 1);
  return is_open;
}

int gp_get_part_field(lua_State *L) {
  const part_box *box = gp_check_self(L);
  const gp_field *field = gp_find_member(L);
  if (!field) return 1;
  gp_part p = open_part(L, box);
  gp_push_value(L, field->get(&p));
  return 1;
}
