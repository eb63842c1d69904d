/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of fields as C structs. */
#include <lauxlib.h>

#include "lua/value.h"

void gp_push_label(lua_State *L, const gp_label *label) {
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  for (int i = 0; i < label->count; i++) luaL_addstring(&text, label->part[i]);
  luaL_pushresult(&text);
}

void gp_push_value(lua_State *L, gp_field_value v) {
  switch (v.type) {
    case GP_FIELD_NIL: lua_pushnil(L); break;
    case GP_FIELD_BOOLEAN: lua_pushboolean(L, v.as.boolean); break;
    case GP_FIELD_INTEGER: lua_pushinteger(L, (lua_Integer)v.as.integer); break;
    case GP_FIELD_NUMBER: lua_pushnumber(L, v.as.number); break;
    case GP_FIELD_TEXT: lua_pushstring(L, v.as.text); break;
    case GP_FIELD_LABEL: gp_push_label(L, v.as.label); break;
    case GP_FIELD_PUSHED: break;
  }
}
