/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source lines of an image for Lua: lookup by address, and all rows of the line
 * tables. */
#include "debug/line_tables.h"
#include "debug/source_paths.h"
#include "lua/debug_file.h"
#include "lua/iteration.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/source_maps.h"

/* --- one address -------------------------------------------------------------- */

/* Asks libbfd, which also knows the functions in the symbol table, unless it would need
 * too much time. */
static bool ask_libbfd(lua_State *L, gp_image_box *box, uint64_t address, bool as_libbfd,
                       gp_location *location) {
  gp_error none;
  gp_image_read_symbols(box->image, &none);  /* optional: more is found with them */
  const gp_image *from = gp_image_for_lines(box->image, as_libbfd);
  if (!gp_image_prepare_locate(from)) gp_raise_no_memory(L);
  return !gp_open_lines(L, box, as_libbfd)->costly &&
         gp_image_locate(from, address, location);
}

/* Reads what the map is made from. */
static void prepare_map(lua_State *L, gp_image_box *box, bool as_libbfd) {
  gp_error none;
  if (as_libbfd || box->image->relocates_debug)
    gp_image_read_symbols(box->image, &none);
  gp_find_debug_files(L, box, as_libbfd);
}

/* Looks up an address. File and line come from the map, and the function from debugging
 * information. libbfd is asked for functions without debugging information, such as
 * assembler code; and, with `as_libbfd`, outside .text. */
static bool look_up(lua_State *L, gp_image_box *box, uint64_t address, bool as_libbfd,
                    gp_location *location) {
  prepare_map(L, box, as_libbfd);
  const gp_image *image = box->image;
  if (as_libbfd && (address < image->text_low || address >= image->text_high))
    return ask_libbfd(L, box, address, as_libbfd, location);
  const gp_line_map *map = gp_open_lines(L, box, as_libbfd);
  uint32_t row = gp_line_map_find(map, address);
  if (row == GP_NONE) return false;
  const char *function = NULL;
  if (!as_libbfd) {  /* NULL if the entries of .debug_info do not have it */
    const gp_inline_map *inlines = gp_open_inlines(L, box);
    uint32_t scope = gp_inline_map_find(inlines, address);
    bool known = scope != GP_NONE && inlines->function[scope] != GP_NONE;
    if (known) function = inlines->names.name[inlines->function[scope]];
  }
  if (!function && ask_libbfd(L, box, address, as_libbfd, location))
    function = location->function;
  *location = (gp_location){map->names.name[map->file[row]], function, map->line[row]};
  return true;
}

/* image:source(address [, gnu_compat]) -> file, line, function; or nil */
static int find_source(lua_State *L) {
  gp_check_image(L, 1);
  uint64_t address = (uint64_t)luaL_checkinteger(L, 2);
  gp_location location;
  if (!look_up(L, lua_touserdata(L, 1), address, lua_toboolean(L, 3), &location)) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushstring(L, location.file);
  gp_check_image(L, 1);  /* a new value can run a finalizer */
  lua_pushinteger(L, location.line);
  lua_pushstring(L, location.function);
  return 3;
}

/* image:line(address) -> file, line; or nil. What image:source returns, but without the
 * function, for which it reads more debugging information */
static int find_line(lua_State *L) {
  gp_check_image(L, 1);
  gp_image_box *box = lua_touserdata(L, 1);
  uint64_t address = (uint64_t)luaL_checkinteger(L, 2);
  prepare_map(L, box, false);
  const gp_line_map *map = gp_open_lines(L, box, false);
  uint32_t row = gp_line_map_find(map, address);
  if (row == GP_NONE) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, map->line[row]);
  lua_pushstring(L, map->names.name[map->file[row]]);  /* last: can run a finalizer */
  lua_insert(L, -2);
  return 2;
}

/* --- all rows ----------------------------------------------------------------- */

#define GP_LINES "gprof.lines"

/* user values of a lines_box */
enum { LINES_IMAGE = 1, LINES_FILES };

typedef struct lines_box {
  const gp_image_box *image;  /* kept alive by user value LINES_IMAGE */
  gp_line_tables tables;
  bool open;
  bool in_table;            /* the current table may have more rows */
} lines_box;

static int release(lua_State *L) {
  lines_box *box = luaL_checkudata(L, 1, GP_LINES);
  if (box->open) gp_line_tables_free(&box->tables);
  box->open = false;
  return 0;
}

/* Returns the next row, from this table or a later one; NULL at the end. */
static const gp_line_row *next_row(lua_State *L, lines_box *box) {
  const gp_line_row *row = NULL;
  bool failed = false;
  while (box->open && !row) {
    if (!box->in_table) {
      if (!gp_line_tables_next(&box->tables, &failed)) break;
      lua_newtable(L);
      lua_setiuservalue(L, lua_upvalueindex(1), LINES_FILES);
      gp_open_image(L, box->image);  /* a new value can run a finalizer */
    }
    row = gp_line_program_next(&box->tables.program);
    box->in_table = row != NULL;
  }
  if (failed) gp_raise_no_memory(L);
  return row;
}

/* Pushes the name of a file of the current table. Each name is created once per table. */
static void push_file(lua_State *L, lines_box *box, uint64_t number) {
  lua_getiuservalue(L, lua_upvalueindex(1), LINES_FILES);
  if (lua_rawgeti(L, -1, (lua_Integer)number) == LUA_TNIL) {
    lua_pop(L, 1);
    void **guard = gp_push_guard(L);
    gp_open_image(L, box->image);
    char *name = *guard = gp_line_program_file(&box->tables.program, number);
    if (name) gp_source_path_shorten(name);
    gp_take_text(L, guard);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)number);
  }
  lua_remove(L, -2);
}

/* Upvalue: the lines_box. */
static int next_line(lua_State *L) {
  lines_box *box = lua_touserdata(L, lua_upvalueindex(1));
  gp_open_image(L, box->image);
  const gp_line_row *row = next_row(L, box);
  if (!row) return 0;
  lua_pushinteger(L, (lua_Integer)row->address);
  if (row->end) return 1;
  push_file(L, box, row->file);
  if (row->line > 0)
    lua_pushinteger(L, row->line);
  else
    lua_pushnil(L);
  lua_pushboolean(L, row->is_statement);
  lua_pushinteger(L, row->discriminator);
  return 5;
}

/* image:lines() -> iterator over address, file, line, is_statement, discriminator; at the
 * end of a sequence, only the address */
static int iterate_lines(lua_State *L) {
  bool readable;
  gp_check_image(L, 1);
  gp_find_debug_files(L, lua_touserdata(L, 1), false);
  lines_box *box = lua_newuserdatauv(L, sizeof *box, 2);
  *box = (lines_box){.image = lua_touserdata(L, 1)};
  luaL_setmetatable(L, GP_LINES);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, LINES_IMAGE);
  const gp_image *image = gp_image_for_lines(gp_check_image(L, 1), false);
  box->open = true;
  if (!gp_line_tables_open(&box->tables, image, &readable))
    return gp_raise_no_memory(L);
  return gp_return_loop(L, next_line);
}

void gp_define_lines(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {"__close", release}, {NULL, NULL}};
  static const luaL_Reg image_methods[] = {
      {"source", find_source},
      {"line", find_line},
      {"lines", iterate_lines},
      {NULL, NULL}};
  gp_define_methods(L, GP_IMAGE, image_methods);
  luaL_newmetatable(L, GP_LINES);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
