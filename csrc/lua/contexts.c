/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of context profiles, for Lua. */
#include "lua/contexts.h"

#include <string.h>

#include "lua/arguments.h"
#include "lua/data.h"
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

/* contexts(data) -> an empty sum with the pointer size and byte order of the data */
static int new_contexts(lua_State *L) {
  gp_layout layout = gp_check_data(L, 1)->layout;
  contexts_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  gp_contexts_init(&box->sum, layout);
  box->open = true;
  luaL_setmetatable(L, GP_CONTEXTS);
  return 1;
}

static int close_contexts(lua_State *L) {
  contexts_box *box = luaL_checkudata(L, 1, GP_CONTEXTS);
  if (box->open) gp_contexts_free(&box->sum);
  box->open = false;
  return 0;
}

/* contexts:add(path) -> stamp of the file (see doc/contexts.md); or nil and a message. A
 * failure closes the sum, because part of the file may have been added. */
static int add_file(lua_State *L) {
  contexts_box *box = check_open(L, 1);
  const char *path = luaL_checkstring(L, 2);
  gp_context_counts counts;
  gp_error error = {""};
  if (!gp_contexts_add(&box->sum, path, &counts, &error)) {
    close_contexts(L);
    return gp_push_failure(L, path, &error);
  }
  lua_pushinteger(L, (lua_Integer)counts.stamp);
  return 1;
}

/* contexts:module_ticks() -> ticks of all samples; array of { path, ticks } for each
 * module, of which the first is the program */
static int module_ticks(lua_State *L) {
  const gp_contexts *sum = &check_open(L, 1)->sum;
  const gp_contexts_records *records = &sum->records;
  uint64_t *ticks = lua_newuserdatauv(L, (sum->module_count + 1) * sizeof *ticks, 0);
  memset(ticks, 0, (sum->module_count + 1) * sizeof *ticks);
  for (size_t row = 0; row < records->count; row++) {
    if (records->self[row] != GP_NONE || records->from[row] == GP_NONE) continue;
    uint32_t module = sum->places.module[records->from[row]];
    if (module != GP_NONE) ticks[module] += records->counts[row];
  }
  lua_pushinteger(L, (lua_Integer)sum->ticks);
  lua_createtable(L, (int)sum->module_count, 0);
  for (size_t i = 0; i < sum->module_count; i++) {
    gp_contexts_text path = sum->modules[i].path;
    lua_createtable(L, 2, 0);
    lua_pushlstring(L, (const char *)path.bytes, path.size);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, (lua_Integer)ticks[i]);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 2;
}

/* Writes to an open file, from its current position. */
static bool put_into(const gp_contexts *sum, int file, uint64_t *stamp, gp_error *error) {
  gp_writer writer;
  return gp_writer_share(&writer, file, error) &&
         gp_writer_close(&writer, gp_contexts_put(sum, &writer, stamp));
}

/* contexts:write(writer or file) -> stamp of the file; or nil and a message */
static int write_file(lua_State *L) {
  const contexts_box *box = check_open(L, 1);
  gp_writer *writer = gp_test_writer(L, 2);
  gp_error error = {""};
  uint64_t stamp;
  luaL_argcheck(L, box->sum.processes > 0, 1, "contexts are empty");
  bool done = writer ? gp_contexts_put(&box->sum, writer, &stamp)
                     : put_into(&box->sum, gp_check_writable(L, 2), &stamp, &error);
  if (!done)
    return writer ? gp_push_writer_failure(L, 2)
                  : gp_push_failure(L, "open file", &error);
  lua_pushinteger(L, (lua_Integer)stamp);
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

void gp_define_contexts(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_contexts}, {"__close", close_contexts}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"add", add_file}, {"write", write_file},
                                     {"module_ticks", module_ticks}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"contexts", new_contexts}, {"keep_contexts", keep_contexts}, {NULL, NULL}};
  gp_define_object(L, GP_CONTEXTS, gp_get_field, meta, methods);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
