/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of an image's line tables for Lua. */
#include "debug/debug_file.h"
#include "debug/line_tables.h"
#include "lua/binding.h"

/* user values of an iteration */
enum { LINES_IMAGE = 1, LINES_FILES };

typedef struct lines_box {
  const gp_image_box *image;  /* kept alive by user value LINES_IMAGE */
  gp_line_tables tables;
  bool open, in_table;      /* is there a table whose rows are read? */
} lines_box;

static int release(lua_State *L) {
  lines_box *box = luaL_checkudata(L, 1, GP_LINES);
  if (box->open) gp_line_tables_free(&box->tables);
  box->open = false;
  return 0;
}

/* The next row of any table, or NULL. */
static const gp_line_row *next_row(lua_State *L, lines_box *box) {
  const gp_line_row *row = NULL;
  bool failed = false;
  while (box->open && !row) {
    if (!box->in_table) {
      if (!gp_line_tables_next(&box->tables, &failed)) break;
      lua_newtable(L);
      lua_setiuservalue(L, lua_upvalueindex(1), LINES_FILES);
    }
    row = gp_line_program_next(&box->tables.program);
    box->in_table = row != NULL;
  }
  if (failed) gp_raise_no_memory(L);
  return row;
}

/* Pushes the name of a file of the open table, which is made once. */
static void push_file(lua_State *L, lines_box *box, uint64_t number) {
  lua_getiuservalue(L, lua_upvalueindex(1), LINES_FILES);
  if (lua_rawgeti(L, -1, (lua_Integer)number) == LUA_TNIL) {
    lua_pop(L, 1);
    void **guard = gp_push_guard(L);
    *guard = gp_line_program_file(&box->tables.program, number);
    gp_take_text(L, guard);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)number);
  }
  lua_remove(L, -2);
}

/* Upvalue: the iteration. */
static int next_line(lua_State *L) {
  lines_box *box = lua_touserdata(L, lua_upvalueindex(1));
  if (!box->image->image) return luaL_error(L, "image is closed");
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
  return 4;
}

/* image:lines() -> iterator over address, file, line, whether it is a statement */
int gp_image_lines(lua_State *L) {
  bool readable;
  gp_check_image(L, 1);
  gp_seek_lines(L, lua_touserdata(L, 1), false, false);
  const gp_image *image = gp_debug_file_lines(gp_check_image(L, 1), false);
  lines_box *box = lua_newuserdatauv(L, sizeof *box, 2);
  *box = (lines_box){.image = lua_touserdata(L, 1)};
  luaL_setmetatable(L, GP_LINES);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, LINES_IMAGE);
  box->open = true;
  if (!gp_line_tables_open(&box->tables, image, &readable))
    return gp_raise_no_memory(L);
  return gp_return_loop(L, next_line);
}

void gp_define_lines(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {"__close", release}, {NULL, NULL}};
  luaL_newmetatable(L, GP_LINES);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}
