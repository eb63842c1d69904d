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
#include "lua/writer.h"
#include "profile/gnu_sum_order.h"

/* Returns the file descriptor of the Lua file at `index`, to write to it. Flushes the
 * file, so that earlier output comes first. */
static int check_writable(lua_State *L, int index) {
  int file = gp_check_open_file(L, index);
  fflush(((luaL_Stream *)lua_touserdata(L, index))->f);
  return file;
}

/* Where data is written. */
typedef struct destination {
  gp_writer *writer;     /* NULL: no writer was given */
  int file;              /* open descriptor; -1: no file was given */
  const char *path;      /* "open file" if no path was given */
} destination;

static destination check_destination(lua_State *L, int index) {
  destination to = {gp_test_writer(L, index), -1, "open file"};
  if (to.writer) return to;
  if (lua_isuserdata(L, index))
    to.file = check_writable(L, index);
  else
    to.path = luaL_checkstring(L, index);
  return to;
}

static bool write_ordered(const gp_data *data, const destination *to, gp_format format,
                          const gp_record_order *order, gp_error *error) {
  if (to->writer) return gp_data_put(data, to->writer, format, order);
  return to->file < 0 ? gp_data_write(data, to->path, format, order, error)
                      : gp_data_write_open(data, to->file, format, order, error);
}

/* Writes data. If `lines` is a symbol table by line, records are written in GNU gprof's
 * order; if it is NULL, in the order of the data. */
static bool write_data(const gp_data *data, const destination *to, gp_format format,
                       const gp_symtab *lines, gp_error *error) {
  gp_record_order order = {NULL, NULL};
  bool done = lines ? gp_gnu_sum_order_find(&order, data, lines, error) &&
                          write_ordered(data, to, format, &order, error)
                    : write_ordered(data, to, format, NULL, error);
  free(order.arcs);
  free(order.blocks);
  return done;
}

/* data:write(path or file or writer [, format [, lines]]) -> data; or nil and a message.
 * A failure leaves the file at `path` unchanged. */
static int write_file(lua_State *L) {
  const gp_data *data = gp_check_data(L, 1);
  destination to = check_destination(L, 2);
  gp_format format = gp_check_format(L, 3);
  const gp_symtab *lines =
      lua_isnoneornil(L, 4) ? NULL : &gp_check_symbols(L, 4)->symtab;
  gp_error error = {""}, *problem = to.writer ? to.writer->error : &error;
  if (!write_data(data, &to, format, lines, problem))
    return to.writer ? gp_push_writer_failure(L, 2)
                     : gp_push_failure(L, strcmp(to.path, "-") == 0 ? "standard output"
                                                                    : to.path, problem);
  lua_settop(L, 1);
  return 1;
}

void gp_define_data_write(lua_State *L) {
  static const luaL_Reg methods[] = {{"write", write_file}, {NULL, NULL}};
  gp_define_methods(L, GP_DATA, methods);
}
