/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of context profiles, for Lua. */
#include "lua/contexts.h"

#include <string.h>

#include "gmon/contexts/contexts_data.h"
#include "lua/archive.h"
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/writer.h"

#define GP_CONTEXTS "gprof.contexts"

typedef struct contexts_box {
  gp_contexts sum;
  bool open;
} contexts_box;

const gp_contexts *gp_test_contexts(lua_State *L, int index) {
  const contexts_box *box = luaL_testudata(L, index, GP_CONTEXTS);
  return box && box->open ? &box->sum : NULL;
}

static contexts_box *check_open(lua_State *L, int index) {
  contexts_box *box = luaL_checkudata(L, index, GP_CONTEXTS);
  luaL_argcheck(L, box->open, index, "contexts are closed");
  return box;
}

/* contexts(data [, by_thread]) -> an empty sum with the pointer size and byte order of
 * the data; with `by_thread`, threads with the same name are kept apart */
static int new_contexts(lua_State *L) {
  const gp_data *data = gp_check_data(L, 1);
  bool by_thread = lua_toboolean(L, 2);
  contexts_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  gp_contexts_init(&box->sum, data->layout);
  box->sum.functions = data->functions;
  box->sum.by_thread = by_thread;
  box->open = true;
  luaL_setmetatable(L, GP_CONTEXTS);
  lua_getiuservalue(L, 1, GP_DATA_FUNCTIONS);  /* kept alive */
  lua_setiuservalue(L, -2, 1);
  return 1;
}

static int close_contexts(lua_State *L) {
  contexts_box *box = luaL_checkudata(L, 1, GP_CONTEXTS);
  if (box->open) gp_contexts_free(&box->sum);
  box->open = false;
  return 0;
}

/* contexts:add(path or file or archive) -> ID of the file (see doc/contexts.md); or
 * nil and a message. A failure closes the sum, because part of the file may have been
 * added. */
static int add_file(lua_State *L) {
  contexts_box *box = check_open(L, 1);
  const char *path = gp_check_input(L, 2);
  gp_context_counts counts;
  gp_error error = {""};
  gp_reader reader;
  if (!gp_open_input(L, 2, &reader, &error) ||
      !gp_contexts_add_from(&box->sum, &reader, &counts)) {
    close_contexts(L);
    return gp_push_failure(L, path, &error);
  }
  lua_pushinteger(L, (lua_Integer)counts.id);
  return 1;
}

/* contexts:write(writer or file) -> ID of the file; or nil and a message */
static int write_file(lua_State *L) {
  const contexts_box *box = check_open(L, 1);
  gp_writer *writer = gp_test_writer(L, 2);
  gp_error error = {""};
  uint64_t id;
  luaL_argcheck(L, box->sum.processes > 0, 1, "contexts are empty");
  luaL_argcheck(L, !box->sum.by_thread, 1, "contexts are by thread");
  gp_writer own;  /* to an open file, from its current position */
  bool done = writer ? gp_contexts_put(&box->sum, writer, &id)
              : gp_writer_share(&own, gp_check_writable(L, 2), &error) &&
                    gp_writer_close(&own, gp_contexts_put(&box->sum, &own, &id));
  if (!done)
    return writer ? gp_push_writer_failure(L, 2)
                  : gp_push_failure(L, "open file", &error);
  lua_pushinteger(L, (lua_Integer)id);
  return 1;
}

/* --- modules and threads ----------------------------------------------------------- */

static void set_integer(lua_State *L, const char *name, uint64_t value) {
  lua_pushinteger(L, (lua_Integer)value);
  lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, gp_contexts_text text) {
  lua_pushlstring(L, (const char *)text.bytes, text.size);
  lua_setfield(L, -2, name);
}

static void set_amount(lua_State *L, gp_contexts_amount amount) {
  set_integer(L, "ticks", amount.ticks);
  set_integer(L, "calls", amount.calls);
}

static void set_build_id(lua_State *L, const gp_contexts_module *m) {
  static const char digits[] = "0123456789abcdef";
  char text[2 * GP_DATA_BUILD_ID_BYTES];
  if (m->build_id_size == 0) return;
  for (size_t i = 0; i < m->build_id_size; i++) {
    text[2 * i] = digits[m->build_id[i] >> 4];
    text[2 * i + 1] = digits[m->build_id[i] & 15];
  }
  lua_pushlstring(L, text, (size_t)2 * m->build_id_size);
  lua_setfield(L, -2, "build_id");
}

/* Pushes an array of the modules, and of one more item for addresses outside them. */
static void push_modules(lua_State *L, const gp_contexts *sum,
                         const gp_contexts_amount *amounts) {
  lua_newtable(L);
  for (size_t i = 0; i <= sum->module_count; i++) {
    lua_createtable(L, 0, 6);
    set_amount(L, amounts[i]);
    if (i < sum->module_count) {
      const gp_contexts_module *m = &sum->modules[i];
      set_text(L, "path", m->path);
      set_build_id(L, m);
      set_integer(L, "low", m->segments.low);
      set_integer(L, "high", m->segments.high);
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static void push_threads(lua_State *L, const gp_contexts *sum,
                         const gp_contexts_amount *amounts) {
  lua_newtable(L);
  for (size_t i = 0; i < sum->table_count; i++) {
    const gp_contexts_table *t = &sum->tables[i];
    lua_createtable(L, 0, 8);
    set_amount(L, amounts[i]);
    set_text(L, "name", t->name);
    set_integer(L, "number", t->thread);
    set_integer(L, "threads", t->threads);
    set_integer(L, "cpu", t->cpu);
    set_integer(L, "deferred", t->deferred);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* Pushes a block with the items of the array of booleans at stack index `index`, which
 * may be absent. */
static bool *push_flags(lua_State *L, int index, size_t count) {
  bool *flags = lua_newuserdatauv(L, count, 0);
  for (size_t i = 0; i < count; i++) {
    flags[i] = false;
    if (!lua_istable(L, index)) continue;
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    flags[i] = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  return flags;
}

/* contexts:parts([skipped]) -> array of modules, array of tables of threads: each item
 * has the fields `ticks` and `calls`, and others; see push_modules and push_threads.
 * Tables do not count the records of the modules for which `skipped` has true. */
static int list_parts(lua_State *L) {
  const gp_contexts *sum = &check_open(L, 1)->sum;
  size_t modules = sum->module_count + 1, all = modules + sum->table_count;
  lua_settop(L, 2);
  const bool *skipped = push_flags(L, 2, modules);
  gp_contexts_amount *amounts = lua_newuserdatauv(L, all * sizeof *amounts, 0);
  gp_error error = {""};
  memset(amounts, 0, all * sizeof *amounts);
  if (!gp_contexts_count(sum, skipped, amounts, amounts + modules, &error))
    return gp_raise_no_memory(L);
  push_modules(L, sum, amounts);
  push_threads(L, sum, amounts + modules);
  return 2;
}

static uint64_t field(lua_State *L, const char *name) {
  lua_getfield(L, -1, name);
  uint64_t value = (uint64_t)luaL_optinteger(L, -1, 0);
  lua_pop(L, 1);
  return value;
}

/* Reads the array of places at stack index 3 into a view. */
static void take_places(lua_State *L, const gp_contexts *sum, gp_contexts_view *view) {
  size_t count = sum->module_count;
  gp_contexts_object *modules = lua_newuserdatauv(L, (count + 1) * sizeof *modules, 0);
  view->modules = modules;
  for (size_t i = 0; i <= count; i++) {
    modules[i] = (gp_contexts_object){.included = false};
    lua_rawgeti(L, 3, (lua_Integer)i + 1);
    if (lua_istable(L, -1))
      modules[i] = (gp_contexts_object){true, field(L, "slide"), field(L, "size")};
    if (i == count && modules[i].included) {
      view->outside = true;
      view->address = field(L, "unnamed");
    }
    lua_pop(L, 1);
  }
}

/* contexts:get(data, places [, tables]) -> data; or nil and a message. Adds calls,
 * samples and call paths to empty data. `places` has a table for each module (see parts),
 * and one for other code; false leaves it out. The tables have the fields `slide`, the
 * number added to the module's addresses, and `size`, the size of its file; the last one
 * has `unnamed`, the address for all other code. `tables` says for each table whether it
 * is used. */
static int get_data(lua_State *L) {
  const gp_contexts *sum = &check_open(L, 1)->sum;
  gp_data *data = gp_check_data(L, 2);
  gp_contexts_view view = {0};
  gp_error error = {""};
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 4);
  take_places(L, sum, &view);
  if (lua_istable(L, 4)) view.tables = push_flags(L, 4, sum->table_count);
  if (!gp_contexts_get(sum, &view, data, &error)) {
    luaL_pushfail(L);
    lua_pushstring(L, error.text);
    return 2;
  }
  lua_settop(L, 2);
  return 1;
}

/* keep_contexts(data, contexts): data:write(path) also writes the contexts, unless other
 * records are added to the data. */
static int keep_contexts(lua_State *L) {
  gp_check_data(L, 1);
  check_open(L, 2);
  gp_data_box *box = luaL_checkudata(L, 1, GP_DATA);
  lua_settop(L, 2);
  lua_setiuservalue(L, 1, GP_DATA_CONTEXTS);
  box->described = box->data.stats;
  return 0;
}

/* contexts_origin(text) -> what the first bytes of a context profile tell: the process
 * number (0 in a sum), when the process began, and when it wrote the file; the build ID
 * of the program, and its path; the number of the parent; whether the process executed
 * another program next. Each is nil if the bytes do not tell it. */
static int find_origin(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  gp_context_origin o = gp_context_find_origin((const unsigned char *)text, size);
  lua_settop(L, 1);
  if (o.has_process) {
    lua_pushinteger(L, (lua_Integer)o.process);
    lua_pushinteger(L, (lua_Integer)o.begin);
    lua_pushinteger(L, (lua_Integer)o.written);
  }
  lua_settop(L, 4);
  if (!o.has_program) return 3;
  lua_pushlstring(L, (const char *)o.build_id.bytes, o.build_id.size);
  lua_pushlstring(L, (const char *)o.path.bytes, o.path.size);
  if (!o.has_process) return 5;
  lua_pushinteger(L, (lua_Integer)o.parent);
  lua_pushboolean(L, o.executes);
  return 7;
}

void gp_define_contexts(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_contexts}, {"__close", close_contexts}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"add", add_file}, {"write", write_file},
                                     {"parts", list_parts}, {"get", get_data},
                                     {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"contexts", new_contexts}, {"contexts_origin", find_origin},
      {"keep_contexts", keep_contexts}, {NULL, NULL}};
  gp_define_object(L, GP_CONTEXTS, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
