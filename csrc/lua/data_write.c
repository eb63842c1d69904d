/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes profile data, for Lua. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/reader.h"
#include "gmon/contexts/context_file.h"
#include "gmon/sum/sum_file.h"
#include "lua/arguments.h"
#include "lua/contexts.h"
#include "lua/data.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/spread.h"
#include "lua/symbols.h"
#include "lua/writer.h"
#include "profile/gnu_sum_order.h"

/* Where data is written. */
typedef struct destination {
  gp_writer *writer;     /* NULL: no writer was given */
  int file;              /* open descriptor; -1: no file was given */
  const char *path;      /* "open file" if no path was given */
  const gp_contexts *contexts;   /* to be written beside the path; NULL: nothing */
  const char *companion;    /* where */
  const gp_spread *spread;   /* to be written beside the path; NULL: nothing */
  const char *spread_path, *new_spread;   /* where; its temporary name */
  gp_error problem;      /* of the context profile */
  gp_error spread_problem;
} destination;

static destination check_destination(lua_State *L, int index) {
  destination to = {
      .writer = gp_test_writer(L, index), .file = -1, .path = "open file"};
  if (to.writer) return to;
  if (lua_isuserdata(L, index))
    to.file = gp_check_writable(L, index);
  else
    to.path = luaL_checkstring(L, index);
  return to;
}

/* Whether the data still has only the records that `stats` counts. */
static bool has_only(const gp_data_box *box, const gp_data_stats *stats) {
  return memcmp(stats, &box->data.stats, sizeof *stats) == 0;
}

/* Sets the files to be written beside the path. They are left out if the data has other
 * records, too, or if the format cannot tell which files belong together. */
static void add_companions(lua_State *L, destination *to, const gp_data_box *box,
                           gp_format format) {
  bool possible = to->file < 0 && !to->writer && strcmp(to->path, "-") != 0 &&
                  (format == GP_FORMAT_AUTO || format == GP_FORMAT_MAGIC);
  lua_getiuservalue(L, 1, GP_DATA_CONTEXTS);
  bool is_script = box->data.functions.bytes != NULL;
  if ((possible || is_script) && has_only(box, &box->described))
    to->contexts = gp_test_contexts(L, -1);
  luaL_argcheck(L, to->contexts || !is_script, 1, "call paths of a Lua program are "
                "needed: use the option 'contexts' of gprof.data");
  to->companion = lua_pushfstring(L, "%s" GP_CONTEXT_SUFFIX, to->path);
  lua_getiuservalue(L, 1, GP_DATA_SPREAD);
  const gp_spread_box *spread = gp_test_spread(L, -1);
  if (spread && possible && has_only(box, &box->spread)) to->spread = &spread->spread;
  to->spread_path = lua_pushfstring(L, "%s" GP_SPREAD_SUFFIX, to->path);
  to->new_spread = lua_pushfstring(L, "%s" GP_SPREAD_NEW, to->spread_path);
}

/* Writes the profile of a Lua program, which is a context profile. */
static bool write_script(const destination *to, gp_error *error) {
  gp_writer writer;
  uint64_t id;
  if (to->writer) return gp_contexts_put(to->contexts, to->writer, &id);
  bool opened = to->file < 0 ? gp_writer_open(&writer, to->path, GP_PATH_CHOSEN, error)
                             : gp_writer_share(&writer, to->file, error);
  return opened &&
         gp_writer_close(&writer, gp_contexts_put(to->contexts, &writer, &id));
}

/* The most files that are replaced and removed together: the sum, its context profile,
 * and the two names of its spread. */
#define CHANGES (GP_SUM_CHANGES + 2)

/* Writes the spread, which is named with the sum. */
static bool write_spread(gp_data *data, destination *to, gp_writer *writer) {
  gp_error *error = &to->spread_problem;
  if (!gp_writer_open_renamed(writer, to->new_spread, to->spread_path, GP_SPREAD_MAGIC,
                              error))
    return false;
  return gp_spread_put(to->spread, writer, &data->spread_id) ||
         gp_writer_close(writer, false);
}

/* Adds the removal of an old spread. Returns the number of changes. */
static size_t remove_spread(const destination *to, gp_file_change *changes,
                            size_t count) {
  const char *paths[] = {to->spread_path, to->new_spread};
  for (size_t i = 0; i < 2; i++)
    if (gp_file_begins(paths[i], GP_SPREAD_MAGIC))
      changes[count++] = (gp_file_change){.removed = paths[i]};
  return count;
}

/* Writes a file, and the files beside it. Removes those of the old file. A device has
 * nothing beside it. */
static bool write_path(gp_data *data, destination *to, gp_format format,
                       const gp_record_order *order, gp_error *error) {
  gp_sum_file file = {.path = to->path,
                      .kind = GP_PATH_CHOSEN,
                      .companion = to->companion,
                      .contexts = to->contexts,
                      .format = format,
                      .order = order,
                      .error = error,
                      .problem = &to->problem};
  gp_file_change changes[CHANGES];
  gp_new_sum sum;
  gp_writer spread;
  size_t count = 0;
  struct stat status;
  bool is_device = stat(to->path, &status) == 0 && !S_ISREG(status.st_mode);
  if (to->spread && !is_device) {
    if (!write_spread(data, to, &spread)) return false;
    changes[count++] = (gp_file_change){.writer = &spread};
  }
  size_t added = gp_sum_file_put(data, &file, &sum, changes + count);
  if (added > 0 && count == 0)
    count = remove_spread(to, changes, added);
  else
    count += added;
  return gp_writers_close(changes, count, added > 0);
}

static bool write_ordered(gp_data *data, destination *to, gp_format format,
                          const gp_record_order *order, gp_error *error) {
  if (to->writer) return gp_data_put(data, to->writer, format, order);
  return to->file < 0 ? write_path(data, to, format, order, error)
                      : gp_data_write_open(data, to->file, format, order, error);
}

/* Writes data. If `lines` is a symbol table by line, records are written in GNU gprof's
 * order; if it is NULL, in the order of the data. */
static bool write_data(gp_data *data, destination *to, gp_format format,
                       const gp_symtab *lines, gp_error *error) {
  gp_record_order order = {NULL, NULL};
  if (data->functions.bytes) return write_script(to, error);
  bool done = lines ? gp_gnu_sum_order_find(&order, data, lines, error) &&
                          write_ordered(data, to, format, &order, error)
                    : write_ordered(data, to, format, NULL, error);
  free(order.arcs);
  free(order.blocks);
  return done;
}

/* data:write(path or file or writer [, format [, lines [, id [, spread_id]]]])
 * -> data; or nil and a message. A failure leaves the file at `path` unchanged. */
static int write_file(lua_State *L) {
  gp_data *data = gp_check_data(L, 1);
  destination to = check_destination(L, 2);
  gp_format format = gp_check_format(L, 3);
  const gp_symtab *lines =
      lua_isnoneornil(L, 4) ? NULL : &gp_check_symbols(L, 4)->symtab;
  luaL_argcheck(L, !lines || lines->lines, 4, "symbols of a profile by line expected");
  data->contexts_id = (uint64_t)luaL_optinteger(L, 5, 0);
  data->spread_id = (uint32_t)luaL_optinteger(L, 6, 0);
  lua_settop(L, 6);
  add_companions(L, &to, luaL_checkudata(L, 1, GP_DATA), format);
  gp_check_data(L, 1);  /* new values can run a finalizer */
  gp_error error = {""}, *problem = to.writer ? to.writer->error : &error;
  if (write_data(data, &to, format, lines, problem)) {
    lua_settop(L, 1);
    return 1;
  }
  if (to.writer) return gp_push_writer_failure(L, 2);
  if (to.problem.text[0] != '\0') return gp_push_failure(L, to.companion, &to.problem);
  if (to.spread_problem.text[0] != '\0')
    return gp_push_failure(L, to.spread_path, &to.spread_problem);
  return gp_push_failure(L, strcmp(to.path, "-") == 0 ? "standard output" : to.path,
                         problem);
}

void gp_define_data_write(lua_State *L) {
  static const luaL_Reg methods[] = {{"write", write_file}, {NULL, NULL}};
  gp_define_methods(L, GP_DATA, methods);
}
