/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlined functions at an address of an image, and at a line of a profile, for Lua. */
#include <lauxlib.h>

#include "lua/debug_file.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/profile.h"
#include "lua/source_maps.h"
#include "lua/symbols.h"

/* Where frames are read: the map of an image, or of a profile by line. */
typedef struct frame_source {
  const gp_inline_map *map;
  const gp_image_box *box;
  bool demangled;         /* names are shown demangled */
} frame_source;

/* Returns the map. Creating a Lua value can run a finalizer that closes the image, so the
 * map is opened again after each one. */
static const gp_inline_map *open_map(lua_State *L, const frame_source *from) {
  gp_open_image(L, from->box);
  return from->map;
}

static const char *name_of_scope(lua_State *L, const frame_source *from, uint32_t scope) {
  const gp_inline_map *map = open_map(L, from);
  uint32_t function = map->function[scope];
  return function == GP_NONE ? NULL : map->names.name[function];
}

/* Pushes a function's name as reports show it: demangled, if the image can do that. */
static void push_shown_name(lua_State *L, const frame_source *from, uint32_t scope) {
  void **guard = gp_push_guard(L);
  const char *name = name_of_scope(L, from, scope);
  const gp_image *image = from->box->image;
  char *demangled;
  if (!gp_image_demangle(image, name, true, &demangled)) gp_raise_no_memory(L);
  *guard = demangled;
  if (demangled) {
    gp_take_text(L, guard);
    return;
  }
  lua_pop(L, 1);
  lua_pushstring(L, gp_image_plain_name(image, name));
}

/* Sets a field of the frame at the top, unless its value is 0. */
static void set_number(lua_State *L, const char *field, uint32_t value) {
  if (value == 0) return;
  lua_pushinteger(L, value);
  lua_setfield(L, -2, field);
}

/* Pushes a frame, without a place. */
static void push_frame(lua_State *L, const frame_source *from, uint32_t scope) {
  lua_createtable(L, 0, 5);
  const char *name = name_of_scope(L, from, scope);
  if (name && from->demangled)
    push_shown_name(L, from, scope);
  else
    lua_pushstring(L, name);
  lua_setfield(L, -2, "name");
  const gp_inline_map *map = open_map(L, from);
  lua_pushboolean(L, map->parent[scope] != GP_NONE);
  lua_setfield(L, -2, "inlined");
  set_number(L, "declared", map->decl_line[scope]);
}

/* Sets the file and the line of the frame at the top; each may be unknown. */
static void set_place(lua_State *L, const char *file, uint32_t line) {
  lua_pushstring(L, file);
  lua_setfield(L, -2, "file");
  set_number(L, "line", line);
}

/* Pushes an array of at most `most` frames, the innermost first. The place of the first
 * one is not set, that of any other is where it calls the frame before. */
static void push_frames(lua_State *L, const frame_source *from, uint32_t scope,
                        lua_Integer most) {
  uint32_t inner = GP_NONE;
  lua_newtable(L);
  for (lua_Integer i = 1; scope != GP_NONE && i <= most; i++) {
    push_frame(L, from, scope);
    const gp_inline_map *map = open_map(L, from);
    if (inner != GP_NONE) {
      uint32_t file = map->call_file[inner];
      set_number(L, "discriminator", map->call_discriminator[inner]);
      set_place(L, file == GP_NONE ? NULL : map->files.name[file], map->call_line[inner]);
    }
    lua_rawseti(L, -2, i);
    inner = scope;
    scope = open_map(L, from)->parent[scope];
  }
}

/* Sets the place of the first frame in the array at the top. */
static void set_first_place(lua_State *L, const char *file, uint32_t line) {
  if (lua_rawgeti(L, -1, 1) == LUA_TTABLE) set_place(L, file, line);
  lua_pop(L, 1);
}

/* Returns the scope at the address at index 2 in the image at index 1, and its map;
 * GP_NONE if there is none. */
static uint32_t scope_at_address(lua_State *L, const gp_inline_map **map) {
  gp_check_image(L, 1);
  uint64_t address = (uint64_t)luaL_checkinteger(L, 2);
  gp_image_box *box = lua_touserdata(L, 1);
  gp_find_debug_files(L, box, false);
  *map = gp_open_inlines(L, box);
  return gp_inline_map_find(*map, address);
}

/* image:frames(address [, most]) -> array of at most `most` frames, the innermost first;
 * or nil */
static int find_frames(lua_State *L) {
  const gp_inline_map *map;
  lua_settop(L, 3);
  uint32_t scope = scope_at_address(L, &map);
  lua_Integer most = luaL_optinteger(L, 3, LUA_MAXINTEGER);
  if (scope == GP_NONE) {
    lua_pushnil(L);
    return 1;
  }
  const frame_source from = {map, lua_touserdata(L, 1), false};
  push_frames(L, &from, scope, most);
  gp_check_image(L, 1);
  const gp_line_map *lines = gp_open_lines(L, lua_touserdata(L, 1), false);
  uint32_t row = gp_line_map_find(lines, (uint64_t)lua_tointeger(L, 2));
  if (row != GP_NONE)
    set_first_place(L, lines->names.name[lines->file[row]], lines->line[row]);
  return 1;
}

/* image:scope(address) -> number of the innermost function, and one past the code around
 * the address that has the same; or nil */
static int find_scope(lua_State *L) {
  const gp_inline_map *map;
  uint32_t scope = scope_at_address(L, &map);
  if (scope == GP_NONE) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, (lua_Integer)scope + 1);
  lua_pushinteger(L, (lua_Integer)gp_inline_map_end(map, (uint64_t)lua_tointeger(L, 2)));
  return 2;
}

/* Pushes a number, or nil if it is 0. */
static void push_known(lua_State *L, uint32_t value) {
  if (value == 0)
    lua_pushnil(L);
  else
    lua_pushinteger(L, value);
}

/* image:scope_fields(number) -> name, line of the declaration, number of the scope into
 * which it was inlined, line and discriminator of the call there; each nil if unknown */
static int push_scope_fields(lua_State *L) {
  gp_check_image(L, 1);
  const gp_inline_map *map = gp_open_inlines(L, lua_touserdata(L, 1));
  lua_Integer number = luaL_checkinteger(L, 2);
  luaL_argcheck(L, number >= 1 && (lua_Unsigned)number <= map->count, 2,
                "no scope with this number");
  size_t scope = (size_t)number - 1;
  uint32_t name = map->function[scope], outer = map->parent[scope];
  push_known(L, map->decl_line[scope]);
  push_known(L, outer == GP_NONE ? 0 : outer + 1);
  push_known(L, map->call_line[scope]);
  push_known(L, map->call_discriminator[scope]);
  lua_pushstring(L, name == GP_NONE ? NULL : map->names.name[name]);
  lua_insert(L, -5);
  return 5;
}

/* Returns the symbols of the profile at index 1, and the row of argument 2, a line. */
static const gp_symbols_box *check_line(lua_State *L, size_t *row) {
  gp_check_profile(L, 1);
  lua_Integer id = luaL_checkinteger(L, 2);
  lua_getiuservalue(L, 1, GP_PROFILE_SYMBOLS);
  const gp_symbols_box *box = gp_check_symbols(L, lua_gettop(L));
  luaL_argcheck(L, id >= 1 && (lua_Unsigned)id <= box->symtab.count, 2,
                "no function with this number");
  *row = (size_t)id - 1;
  return box;
}

/* Returns the innermost function of a line, or GP_NONE. */
static uint32_t scope_of_line(const gp_symtab *symtab, size_t row) {
  return symtab->lines ? gp_inline_map_find(&symtab->lines->chains, symtab->address[row])
                       : GP_NONE;
}

/* profile:is_inlined(id) -> whether the innermost function of a line was inlined */
static int is_inlined(lua_State *L) {
  size_t row;
  const gp_symtab *symtab = &check_line(L, &row)->symtab;
  uint32_t scope = scope_of_line(symtab, row);
  lua_pushboolean(L, scope != GP_NONE && symtab->lines->chains.parent[scope] != GP_NONE);
  return 1;
}

/* profile:frames(id [, most]) -> array of at most `most` frames of a line, the innermost
 * first; or nil */
static int find_line_frames(lua_State *L) {
  size_t row;
  lua_Integer most = luaL_optinteger(L, 3, LUA_MAXINTEGER);
  const gp_symbols_box *box = check_line(L, &row);
  const gp_symtab *symtab = &box->symtab;
  uint32_t scope = scope_of_line(symtab, row);
  if (scope == GP_NONE) {
    lua_pushnil(L);
    return 1;
  }
  const gp_symtab_lines *lines = symtab->lines;
  const frame_source from = {&lines->chains, box->image, box->demangled};
  push_frames(L, &from, scope, most);
  if (lines->file[row] != GP_NONE)
    set_first_place(L, lines->files.name[lines->file[row]], lines->line[row]);
  return 1;
}

void gp_define_frames(lua_State *L) {
  static const luaL_Reg image_methods[] = {
      {"frames", find_frames}, {"scope", find_scope},
      {"scope_fields", push_scope_fields}, {NULL, NULL}};
  static const luaL_Reg profile_methods[] = {
      {"frames", find_line_frames}, {"is_inlined", is_inlined}, {NULL, NULL}};
  gp_define_methods(L, GP_IMAGE, image_methods);
  gp_define_methods(L, GP_PROFILE, profile_methods);
}
