/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlined functions at an address, for Lua. */
#include <lauxlib.h>

#include "lua/debug_file.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/source_maps.h"

/* Pushes a frame, without a place. */
static void push_frame(lua_State *L, const gp_inline_map *map, uint32_t scope) {
  lua_createtable(L, 0, 4);
  if (map->function[scope] != GP_NONE) {
    lua_pushstring(L, map->names.name[map->function[scope]]);
    lua_setfield(L, -2, "name");
  }
  lua_pushboolean(L, map->parent[scope] != GP_NONE);
  lua_setfield(L, -2, "inlined");
}

/* Sets the file and the line of the frame at the top; each may be unknown. */
static void set_place(lua_State *L, const char *file, uint32_t line) {
  lua_pushstring(L, file);
  lua_setfield(L, -2, "file");
  if (line == 0) return;
  lua_pushinteger(L, line);
  lua_setfield(L, -2, "line");
}

/* Sets the line that an address comes from. */
static void set_line(lua_State *L, gp_image_box *box, uint64_t address) {
  const gp_line_map *map = gp_open_lines(L, box, false);
  uint32_t row = gp_line_map_find(map, address);
  if (row != GP_NONE) set_place(L, map->names.name[map->file[row]], map->line[row]);
}

/* image:frames(address) -> array of frames, the innermost first; or nil */
static int find_frames(lua_State *L) {
  gp_check_image(L, 1);
  uint64_t address = (uint64_t)luaL_checkinteger(L, 2);
  gp_image_box *box = lua_touserdata(L, 1);
  gp_find_debug_files(L, box, false);
  const gp_inline_map *map = gp_open_inlines(L, box);
  uint32_t scope = gp_inline_map_find(map, address), inner = GP_NONE;
  if (scope == GP_NONE) {
    lua_pushnil(L);
    return 1;
  }
  lua_newtable(L);
  for (lua_Integer i = 1; scope != GP_NONE; i++) {
    push_frame(L, map, scope);
    if (inner == GP_NONE) {
      set_line(L, box, address);
    } else {
      uint32_t file = map->call_file[inner];
      set_place(L, file == GP_NONE ? NULL : map->files.name[file], map->call_line[inner]);
    }
    lua_rawseti(L, -2, i);
    inner = scope;
    scope = map->parent[scope];
  }
  return 1;
}

void gp_define_frames(lua_State *L) {
  static const luaL_Reg image_methods[] = {{"frames", find_frames}, {NULL, NULL}};
  gp_define_methods(L, GP_IMAGE, image_methods);
}
