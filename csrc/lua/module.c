/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The module gprof.core: how objects of the core become objects of Lua. */
#include <string.h>

#include "lua/binding.h"

void *check_self(lua_State *L) {
  if (lua_type(L, 1) != LUA_TUSERDATA || !lua_getmetatable(L, 1) ||
      !lua_rawequal(L, -1, lua_upvalueindex(2))) {
    lua_getfield(L, lua_upvalueindex(2), "__name");
    luaL_typeerror(L, 1, lua_tostring(L, -1));
  }
  lua_settop(L, 2);
  return lua_touserdata(L, 1);
}

int get_field(lua_State *L) {
  const void *object = check_self(L);
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TLIGHTUSERDATA) {
    const object_field *field = lua_touserdata(L, 2);
    field->push(L, object);
  }
  return 1;
}

/* Objects tell what was recorded; scripts keep what is theirs elsewhere. */
static int refuse_assignment(lua_State *L) {
  luaL_getmetafield(L, 1, "__name");
  const char *type = lua_tostring(L, -1), *field = luaL_tolstring(L, 2, NULL);
  return luaL_error(L, "field '%s' is read-only: what a %s tells is not to be set", field,
                    type);
}

void define_object(lua_State *L, const char *name, lua_CFunction get,
                   const luaL_Reg *meta, const luaL_Reg *methods) {
  luaL_newmetatable(L, name);
  luaL_setfuncs(L, meta, 0);
  lua_pushcfunction(L, refuse_assignment);
  lua_setfield(L, -2, "__newindex");
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_pushvalue(L, -3);
  lua_pushcclosure(L, get, 2);
  lua_setfield(L, -3, "__index");
  lua_remove(L, -2);
}

void define_fields(lua_State *L, const object_field *fields) {
  for (; fields->name; fields++) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)fields);
    lua_setfield(L, -2, fields->name);
  }
}

bool flag_option(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  bool set = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return set;
}

const char *text_option(lua_State *L, int index, const char *name) {
  if (lua_getfield(L, index, name) != LUA_TNIL && lua_type(L, -1) != LUA_TSTRING)
    luaL_error(L, "option '%s': string expected, got %s", name, luaL_typename(L, -1));
  const char *text = lua_tostring(L, -1);
  lua_pop(L, 1);  /* it stays in the table */
  return text;
}

int push_failure(lua_State *L, const char *path, const gp_error *error) {
  const char *name =
      *path == '\0' ? "''" : strcmp(path, "-") == 0 ? "standard input" : path;
  luaL_pushfail(L);
  lua_pushfstring(L, "%s: %s", name, error->text);
  return 2;
}

/* the only name that the module shows to the outside */
__attribute__((visibility("default"))) int luaopen_gprof_core(lua_State *L);

int luaopen_gprof_core(lua_State *L) {
  luaL_checkversion(L);
  lua_newtable(L);
  define_memory(L);
  define_iteration(L);
  define_image(L);
  define_separate(L);
  define_lines(L);
  define_data(L);
  define_records(L);
  define_slide(L);
  define_symbols(L);
  define_joined(L);
  define_symbol(L);
  define_selection(L);
  define_profile(L);
  define_parts(L);
  define_labels(L);
  define_annotation(L);
  define_stream(L);
  define_flat(L);
  define_entries(L);
  define_index(L);
  define_files(L);
  define_process(L);
  define_options(L);
  define_trace(L);
  return 1;
}
