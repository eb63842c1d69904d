/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metatables, methods and fields of Lua objects. */
#include <stdint.h>

#include "lua/object.h"

void *gp_check_self(lua_State *L) {
  if (lua_type(L, 1) != LUA_TUSERDATA || !lua_getmetatable(L, 1) ||
      !lua_rawequal(L, -1, lua_upvalueindex(2))) {
    lua_getfield(L, lua_upvalueindex(2), "__name");
    luaL_typeerror(L, 1, lua_tostring(L, -1));
  }
  lua_settop(L, 2);
  return lua_touserdata(L, 1);
}

const gp_field *gp_find_member(lua_State *L) {
  lua_pushvalue(L, 2);
  switch (lua_rawget(L, lua_upvalueindex(1))) {
    case LUA_TLIGHTUSERDATA: return lua_touserdata(L, -1);
    case LUA_TBOOLEAN: lua_pushnil(L); return NULL;
    case LUA_TNIL: break;
    default: return NULL;
  }
  lua_getfield(L, lua_upvalueindex(2), "__name");
  const char *type = lua_tostring(L, -1), *key = luaL_tolstring(L, 2, NULL);
  luaL_error(L, "no field '%s': %s objects have no such field", key, type);
  return NULL;
}

int gp_get_field(lua_State *L) {
  const void *object = gp_check_self(L);
  const gp_field *field = gp_find_member(L);
  const gp_part self = {L, NULL, object, 0, 1};
  if (field) gp_push_value(L, field->get(&self));
  return 1;
}

gp_field_value gp_user_value(const gp_part *p, int number) {
  lua_getiuservalue(p->L, p->whole, number);
  return gp_pushed_value;
}

/* Fields are read-only, because they show what was recorded. */
static int refuse_assignment(lua_State *L) {
  luaL_getmetafield(L, 1, "__name");
  const char *type = lua_tostring(L, -1), *field = luaL_tolstring(L, 2, NULL);
  return luaL_error(L, "field '%s' is read-only: %s objects cannot be changed", field,
                    type);
}

void gp_define_fields(lua_State *L, const gp_field *fields) {
  for (; fields->name; fields++) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)fields);
    lua_setfield(L, -2, fields->name);
  }
}

void gp_define_object(lua_State *L, const char *name, lua_CFunction get,
                      const luaL_Reg *meta, const luaL_Reg *methods,
                      const gp_field *fields) {
  luaL_newmetatable(L, name);
  luaL_setfuncs(L, meta, 0);
  lua_pushcfunction(L, refuse_assignment);
  lua_setfield(L, -2, "__newindex");
  int members = 0;
  for (const luaL_Reg *m = methods; m->name; m++) members++;
  for (const gp_field *f = fields; f && f->name; f++) members++;
  lua_createtable(L, 0, members);
  luaL_setfuncs(L, methods, 0);
  if (fields) gp_define_fields(L, fields);
  lua_pushvalue(L, -1);
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, get, 2);
  lua_setfield(L, -3, "__index");
  lua_remove(L, -2);
}

/* Gives a lookup table the members of another one that it lacks, as absent ones. Both are
 * stack indices. */
static void share_members(lua_State *L, int members, int others) {
  for (lua_pushnil(L); lua_next(L, others) != 0; lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    if (lua_rawget(L, members) == LUA_TNIL) {
      lua_pushvalue(L, -3);
      lua_pushboolean(L, false);
      lua_rawset(L, members);
    }
    lua_pop(L, 1);
  }
}

static void push_members(lua_State *L, const char *name) {
  luaL_getmetatable(L, name);
  lua_getfield(L, -1, "__index");
  lua_getupvalue(L, -1, 1);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void gp_define_methods(lua_State *L, const char *name, const luaL_Reg *methods) {
  push_members(L, name);
  luaL_setfuncs(L, methods, 0);
  lua_pop(L, 1);
}

void gp_share_members(lua_State *L, const char *name, const char *other) {
  const int top = lua_gettop(L);
  push_members(L, name);
  push_members(L, other);
  share_members(L, top + 1, top + 2);
  share_members(L, top + 2, top + 1);
  lua_settop(L, top);
}
