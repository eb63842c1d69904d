/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of names, for Lua. */
#include "base/name_list.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/arguments.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"

#define GP_NAME_LIST "gprof.names"

#define MOST_SUFFIXES 8

static gp_name_list *check_names(lua_State *L) {
  return luaL_checkudata(L, 1, GP_NAME_LIST);
}

static int free_names(lua_State *L) {
  gp_name_list_free(check_names(L));
  return 0;
}

/* names() -> an empty list */
static int new_names(lua_State *L) {
  gp_name_list *names = lua_newuserdatauv(L, sizeof *names, 0);
  memset(names, 0, sizeof *names);
  luaL_setmetatable(L, GP_NAME_LIST);
  return 1;
}

static int count_names(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)check_names(L)->count);
  return 1;
}

/* names[number] -> the name; names.method */
static int get(lua_State *L) {
  if (!lua_isinteger(L, 2)) return gp_get_field(L);
  const gp_name_list *names = check_names(L);
  const lua_Integer number = lua_tointeger(L, 2);
  if (number < 1 || (lua_Unsigned)number > names->count) return 0;
  lua_pushstring(L, gp_name(names, (size_t)number - 1));
  return 1;
}

/* names:add(name) */
static int add(lua_State *L) {
  gp_error error;
  size_t size;
  const char *name = luaL_checklstring(L, 2, &size);
  luaL_argcheck(L, strlen(name) == size, 2, "contains zero bytes");
  if (gp_name_list_add(check_names(L), name, &error)) return 0;
  return luaL_error(L, "%s", error.text);
}

/* names:read(file, head) -> true; or nil and a message. Adds the names in an open file,
 * of which `head` has been read. */
static int read_names(lua_State *L) {
  gp_error error;
  gp_reader reader;
  size_t size;
  gp_name_list *names = check_names(L);
  const int file = gp_check_open_file(L, 2);
  const char *head = luaL_checklstring(L, 3, &size);
  bool done = gp_reader_share(&reader, file, &error);
  if (done) {
    done = gp_name_list_read(names, head, size, &reader, &error);
    gp_reader_close(&reader);
  }
  if (!done) return gp_push_error(L, &error);
  lua_pushboolean(L, true);
  return 1;
}

/* names:contains(name) -> boolean */
static int contains(lua_State *L) {
  const gp_name_list *names = check_names(L);
  const char *name = luaL_checkstring(L, 2);
  size_t row = 0;
  while (row < names->count && strcmp(gp_name(names, row), name) != 0) row++;
  lua_pushboolean(L, row < names->count);
  return 1;
}

/* names:beside(suffix, ...) -> an array of the numbers of the names that are a suffix
 * after another name */
static int companions(lua_State *L) {
  const char *suffixes[MOST_SUFFIXES];
  const gp_name_list *names = check_names(L);
  const int last = lua_gettop(L);
  size_t count = 0;
  luaL_argcheck(L, last - 1 <= MOST_SUFFIXES, last, "too many suffixes");
  for (int i = 2; i <= last; i++) suffixes[i - 2] = luaL_checkstring(L, i);
  void **rows = gp_push_guard(L);
  *rows = gp_name_list_companions(names, suffixes, (size_t)last - 1, &count);
  gp_take_rows(L, rows, count);
  return 1;
}

/* names:remove(numbers), an array in ascending order */
static int remove_names(lua_State *L) {
  const size_t count = lua_rawlen(L, 2);
  gp_name_list *names = check_names(L);
  luaL_checktype(L, 2, LUA_TTABLE);
  uint32_t *rows = lua_newuserdatauv(L, count * sizeof *rows, 0);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    rows[i] = (uint32_t)(luaL_checkinteger(L, -1) - 1);
    lua_pop(L, 1);
  }
  gp_name_list_remove(names, rows, count);
  return 0;
}

void gp_define_names(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", free_names}, {"__len", count_names}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"add", add},
                                     {"read", read_names},
                                     {"contains", contains},
                                     {"companions", companions},
                                     {"remove", remove_names},
                                     {NULL, NULL}};
  static const luaL_Reg functions[] = {{"names", new_names}, {NULL, NULL}};
  gp_define_object(L, GP_NAME_LIST, get, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
