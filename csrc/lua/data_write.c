/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes profile data, for Lua. */
#include <stdlib.h>
#include <string.h>

#include "gmon/gmon_write.h"
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/symbols.h"
#include "profile/gnu_sum_order.h"

/* Returns the file descriptor of the Lua file at `index`, to write to it. Flushes the
 * file, so that earlier output comes first. */
static int check_writable(lua_State *L, int index) {
  int file = gp_check_open_file(L, index);
  fflush(((luaL_Stream *)lua_touserdata(L, index))->f);
  return file;
}

/* Writes to the descriptor `file` or, if that is negative, to `path`. If `lines`, a
 * symbol table by line, is given, the records are in GNU gprof's order. */
static bool write_data(const gp_data *data, int file, const char *path, gp_format format,
                       const gp_symtab *lines, gp_error *error) {
  gp_record_order order = {NULL, NULL}, *chosen = lines ? &order : NULL;
  bool done = !lines || gp_gnu_sum_order_find(&order, data, lines, error);
  if (done)
    done = file < 0 ? gp_data_write(data, path, format, chosen, error)
                    : gp_data_write_open(data, file, format, chosen, error);
  free(order.arcs);
  free(order.blocks);
  return done;
}

/* data:write(path or file [, format [, lines]]) -> data; or nil and a message. A failure
 * leaves the file at `path` unchanged. */
static int write_file(lua_State *L) {
  const gp_data *data = gp_check_data(L, 1);
  int file = lua_isuserdata(L, 2) ? check_writable(L, 2) : -1;
  const char *path = file < 0 ? luaL_checkstring(L, 2) : "open file";
  gp_format format = gp_check_format(L, 3);
  const gp_symtab *lines =
      lua_isnoneornil(L, 4) ? NULL : &gp_check_symbols(L, 4)->symtab;
  gp_error error = {""};
  if (!write_data(data, file, path, format, lines, &error))
    return gp_push_failure(L, strcmp(path, "-") == 0 ? "standard output" : path, &error);
  lua_settop(L, 1);
  return 1;
}

void gp_define_data_write(lua_State *L) {
  static const luaL_Reg methods[] = {{"write", write_file}, {NULL, NULL}};
  gp_define_methods(L, GP_DATA, methods);
}
