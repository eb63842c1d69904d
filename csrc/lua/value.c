/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of fields as C structs. */
#include <lauxlib.h>
#include <string.h>

#include "lua/value.h"

/* Pushes the name of a label in its form, at most `columns` wide. */
static void push_name(lua_State *L, const gp_label *label, size_t columns) {
  const char *name = label->part[0];
  size_t length = strlen(name);
  char *fitted = lua_newuserdatauv(L, gp_fitted_room(length, label->mark), 0);
  label->check(L, label->owner);  /* the new value can run a finalizer */
  length =
      gp_fit_name(name, length, label->form, columns, label->mark, label->shown, fitted);
  lua_pushlstring(L, fitted, length);
  lua_remove(L, -2);
}

void gp_push_label(lua_State *L, const gp_label *label, size_t columns) {
  luaL_Buffer text;
  bool whole = label->form == GP_COMPLETE && columns == SIZE_MAX;
  size_t size = 0;
  if (whole)
    lua_pushnil(L);
  else
    push_name(L, label, columns);
  label->check(L, label->owner);
  int name = lua_gettop(L);
  const char *first = whole ? label->part[0] : lua_tostring(L, name);
  for (int i = 0; i < label->count; i++) size += strlen(i > 0 ? label->part[i] : first);
  luaL_buffinitsize(L, &text, size);
  label->check(L, label->owner);  /* the buffer may be a new value */
  for (int i = 0; i < label->count; i++)
    luaL_addstring(&text, i > 0 ? label->part[i] : first);
  luaL_pushresult(&text);
  lua_remove(L, name);
}

void gp_push_value(lua_State *L, gp_field_value v) {
  switch (v.type) {
    case GP_FIELD_NIL: lua_pushnil(L); break;
    case GP_FIELD_BOOLEAN: lua_pushboolean(L, v.as.boolean); break;
    case GP_FIELD_INTEGER: lua_pushinteger(L, (lua_Integer)v.as.integer); break;
    case GP_FIELD_NUMBER: lua_pushnumber(L, v.as.number); break;
    case GP_FIELD_TEXT: lua_pushstring(L, v.as.text); break;
    case GP_FIELD_SHORT: lua_pushlstring(L, v.as.chars, v.length); break;
    case GP_FIELD_LABEL: gp_push_label(L, v.as.label, SIZE_MAX); break;
    case GP_FIELD_PUSHED: break;
  }
}
