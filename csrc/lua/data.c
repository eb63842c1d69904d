/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profile data for Lua. */
#include <string.h>

#include "lua/archive.h"
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/image.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/spread.h"
#include "lua/trace.h"
#include "object/build_id.h"
#include "profile/measured.h"

/* Names of the file formats in Lua. */
static const char *const format_names[] = {
    [GP_FORMAT_AUTO] = "auto", [GP_FORMAT_MAGIC] = "magic", [GP_FORMAT_BSD] = "bsd",
    [GP_FORMAT_44BSD] = "4.4bsd", [GP_FORMAT_PROF] = "prof",
    [GP_FORMAT_CONTEXT] = "context", NULL};

/* Formats that callers can request. */
static const char *const format_options[] = {
    [GP_FORMAT_AUTO] = "auto", [GP_FORMAT_MAGIC] = "magic", [GP_FORMAT_BSD] = "bsd",
    [GP_FORMAT_44BSD] = "4.4bsd", [GP_FORMAT_PROF] = "prof", NULL};

_Static_assert(GP_DATA_BUILD_ID_BYTES == GP_BUILD_ID_BYTES, "room for a build ID");

static gp_data_box *check_box(lua_State *L, int index) {
  return luaL_checkudata(L, index, GP_DATA);
}

gp_data *gp_check_data(lua_State *L, int index) {
  gp_data_box *box = check_box(L, index);
  luaL_argcheck(L, box->open, index, "data is closed");
  return &box->data;
}

const gp_data *gp_open_data(lua_State *L, const gp_data_box *box) {
  if (!box->open) luaL_error(L, "data is closed");
  return &box->data;
}

/* data(image [, mixed_rates [, trace]]) -> an empty sum with the image's pointer size and
 * byte order
 * data(pointer_size [, mixed_rates [, trace [, big_endian]]]) -> the same without an
 * image; the pointer size is 4 or 8 bytes */
static int new_data(lua_State *L) {
  gp_layout layout = {.pointer_size = 8};
  const gp_image *image = NULL;
  if (lua_isinteger(L, 1)) {
    luaL_argcheck(L, lua_tointeger(L, 1) == 4 || lua_tointeger(L, 1) == 8, 1,
                  "4 or 8 expected");
    layout.pointer_size = (unsigned char)lua_tointeger(L, 1);
    layout.big_endian = lua_toboolean(L, 4);
  } else {
    image = gp_check_image(L, 1);
    layout = image->layout;
  }
  bool mixed_rates = lua_toboolean(L, 2);
  const gp_trace *trace = gp_opt_trace(L, 3);
  lua_settop(L, 3);
  gp_data_box *box = lua_newuserdatauv(L, sizeof *box, GP_DATA_VALUES);
  memset(box, 0, sizeof *box);
  gp_data_init(&box->data, layout);
  box->data.mixed_rates = mixed_rates;
  if (image) {
    image = gp_check_image(L, 1);  /* the new value can run a finalizer */
    box->data.build_id_size = gp_build_id(image, box->data.build_id);
    box->data.image_size = bfd_get_file_size(image->file);
    box->data.functions = gp_push_functions(L, 1);
    lua_setiuservalue(L, -2, GP_DATA_FUNCTIONS);
  }
  box->trace = trace;
  box->open = true;
  luaL_setmetatable(L, GP_DATA);
  lua_newtable(L);  /* the field `files` */
  lua_setiuservalue(L, -2, GP_DATA_FILES);
  lua_pushvalue(L, 3);  /* keeps the trace alive */
  lua_setiuservalue(L, -2, GP_DATA_TRACE);
  return 1;
}

static int close_data(lua_State *L) {
  gp_data_box *box = check_box(L, 1);
  if (box->open) {
    gp_data_free(&box->data);
    gp_staging_free(&box->staging);
  }
  box->open = false;
  return 0;
}

static int describe(lua_State *L) {
  const gp_data_box *box = check_box(L, 1);
  if (!box->open) {
    lua_pushliteral(L, "data (closed)");
    return 1;
  }
  size_t histograms = box->data.histogram_count, arcs = box->data.arcs.count,
         blocks = box->data.blocks.count;
  lua_pushfstring(L, "data: %d histogram%s, %d arc%s, %d block%s", (int)histograms,
                  gp_plural(histograms), (int)arcs, gp_plural(arcs), (int)blocks,
                  gp_plural(blocks));
  return 1;
}

static void set_integer(lua_State *L, const char *name, uint64_t value) {
  lua_pushinteger(L, (lua_Integer)value);
  lua_setfield(L, -2, name);
}

/* Sets a field to an integer, or removes it if it does not apply. */
static void set_optional(lua_State *L, const char *name, uint64_t value, bool applies) {
  if (applies)
    lua_pushinteger(L, (lua_Integer)value);
  else
    lua_pushnil(L);
  lua_setfield(L, -2, name);
}

static void set_flag(lua_State *L, const char *name, bool value, bool applies) {
  if (applies)
    lua_pushboolean(L, value);
  else
    lua_pushnil(L);
  lua_setfield(L, -2, name);
}

/* Sets the fields that only context profiles have, or removes them. */
static void fill_contexts(lua_State *L, const gp_context_counts *counts, bool applies) {
  set_optional(L, "process", counts->process, applies);
  set_optional(L, "processes", counts->processes, applies);
  set_optional(L, "written", counts->written, applies);
  set_optional(L, "id", counts->id, applies);
  set_optional(L, "threads", counts->threads, applies);
  set_optional(L, "modules", counts->modules, applies);
  set_optional(L, "contexts", counts->contexts, applies);
  set_optional(L, "calls", counts->calls, applies);
  set_optional(L, "ticks", counts->ticks, applies);
  set_optional(L, "lost", counts->lost, applies);
  set_optional(L, "rate", counts->rate, applies);
  set_flag(L, "joined", counts->joined, applies);
  set_flag(L, "wall", counts->wall, applies);
}

/* Fills in the entry of a file in the list `files`. The entry is on the top of the stack.
 * It gets the file's format and the number of records added since the statistics `before`
 * were taken; with GP_FORMAT_AUTO, also the fields that only some formats have. */
static void fill_entry(lua_State *L, const gp_data *data, gp_file_kind kind,
                       gp_data_stats before) {
  bool all = kind.format == GP_FORMAT_AUTO;
  bool has_contexts = all || kind.format == GP_FORMAT_CONTEXT;
  lua_pushstring(L, format_names[kind.format]);
  lua_setfield(L, -2, "format");
  set_optional(L, "version", kind.version,
               has_contexts || kind.format == GP_FORMAT_MAGIC);
  set_integer(L, "histogram_records",
              data->stats.histogram_records - before.histogram_records);
  set_integer(L, "arc_records", data->stats.arc_records - before.arc_records);
  set_integer(L, "block_records", data->stats.block_records - before.block_records);
  fill_contexts(L, &kind.contexts, has_contexts);
}

/* Pushes the list of files and a new entry in it. Called before the file is read, to
 * allocate the entry and all strings that end_entry needs. Nothing can fail afterwards,
 * so the data and the list always describe the same files. */
static void push_entry(lua_State *L, const gp_data *data, const char *path) {
  for (const char *const *name = format_names; *name; name++) lua_pushstring(L, *name);
  lua_getiuservalue(L, 1, GP_DATA_FILES);
  lua_createtable(L, 0, 16);
  lua_pushstring(L, path);
  lua_setfield(L, -2, "path");
  fill_entry(L, data, (gp_file_kind){.format = GP_FORMAT_AUTO}, data->stats);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, (lua_Integer)lua_rawlen(L, -3) + 1);
}

/* Completes the entry that push_entry made, or removes it if reading failed. */
static void end_entry(lua_State *L, const gp_data *data, gp_file_kind kind,
                      gp_data_stats before, bool done) {
  if (done) {
    fill_entry(L, data, kind, before);
  } else {
    lua_pushnil(L);
    lua_rawseti(L, -3, (lua_Integer)lua_rawlen(L, -3));
  }
}

gp_format gp_check_format(lua_State *L, int index) {
  return (gp_format)luaL_checkoption(L, index, "auto", format_options);
}

/* Opens the input at stack index 2. */
static bool open_input(lua_State *L, gp_reader *reader, const char *path,
                       gp_error *error) {
  if (!gp_open_input(L, 2, reader, error)) return false;
  if (lua_type(L, 2) == LUA_TSTRING)
    GP_TRACE(check_box(L, 1)->trace, GP_TRACE_RECORDS, "file %s", path);
  return true;
}

/* data:read(path or file or archive, format) -> data; or nil and a message. A failure
 * closes the data, because part of the file may have been added. */
static int read_file(lua_State *L) {
  gp_data *data = gp_check_data(L, 1);
  const char *path = gp_check_input(L, 2);
  gp_read_options options = {.format = gp_check_format(L, 3),
                             .trace = check_box(L, 1)->trace};
  gp_data_stats before = data->stats;
  gp_file_kind kind = {.format = GP_FORMAT_AUTO};
  gp_error error = {""};
  gp_reader reader;
  push_entry(L, data, path);
  gp_check_data(L, 1);  /* new values can run a finalizer */
  bool done = open_input(L, &reader, path, &error) &&
              gp_data_read_from(data, &reader, &options, &kind);
  end_entry(L, data, kind, before, done);
  if (!done) {
    close_data(L);
    return gp_push_failure(L, path, &error);
  }
  lua_settop(L, 1);
  return 1;
}

/* data:add_file(path or file or archive, format [, spread [, name]]) -> data; or nil and
 * a message. A failure leaves the data unchanged, and the spread, to which the file is
 * also added, as a run with this name (default: the path). With a spread, the second
 * result is true if the file must be a sum, and was not added to it. */
static int add_file(lua_State *L) {
  gp_data *data = gp_check_data(L, 1);
  const char *path = gp_check_input(L, 2);
  gp_spread_adding adding = gp_check_adding(L, 4, luaL_optstring(L, 5, path));
  gp_data_box *box = check_box(L, 1);
  gp_data_stats before = data->stats;
  gp_file_kind kind = {.format = GP_FORMAT_AUTO};
  gp_error error = {""};
  gp_reader reader;
  gp_read_options options = {.format = gp_check_format(L, 3), .trace = box->trace};
  gp_file_check check = {&adding, gp_check_run};
  push_entry(L, data, path);
  gp_check_data(L, 1);  /* new values can run a finalizer */
  bool done = open_input(L, &reader, path, &error) &&
              gp_data_add_from(data, &box->staging, &reader, options,
                               adding.box ? &check : NULL, &kind);
  end_entry(L, data, kind, before, done);
  if (!done) return gp_push_failure(L, path, &error);
  gp_add_run(&adding);
  lua_settop(L, 1);
  lua_pushboolean(L, adding.is_sum);
  if (!adding.box) lua_settop(L, 1);
  return lua_gettop(L);
}

/* data:add_paths(path, companion, id) -> data; or nil and a message. Adds the call paths
 * of the context profile at `path` to samples and calls that were read before, from the
 * gmon.out at `companion`, which has this ID. */
static int add_paths(lua_State *L) {
  gp_data *data = gp_check_data(L, 1);
  const char *path = luaL_checkstring(L, 2);
  const char *companion = luaL_checkstring(L, 3);
  uint64_t id = (uint64_t)luaL_checkinteger(L, 4);
  gp_error error = {""};
  if (!gp_data_add_paths(data, path, companion, id, check_box(L, 1)->trace, &error))
    return gp_push_failure(L, path, &error);
  lua_settop(L, 1);
  return 1;
}

static const gp_data *opened(const gp_part *p) { return gp_open_data(p->L, p->owner); }

GP_GETTER(histogram_records, gp_integer_value(opened(p)->stats.histogram_records))
GP_GETTER(arc_records, gp_integer_value(opened(p)->stats.arc_records))
GP_GETTER(block_records, gp_integer_value(opened(p)->stats.block_records))
GP_GETTER(bytes, gp_integer_value(opened(p)->stats.bytes))
GP_GETTER(has_histogram, gp_boolean_value(opened(p)->histogram_count > 0))
GP_GETTER(has_arcs, gp_boolean_value(opened(p)->has_arcs))
GP_GETTER(has_call_graph, gp_boolean_value(opened(p)->has_arcs ||
                                           opened(p)->paths.contexts.count > 0))
GP_GETTER(shared, gp_boolean_value(opened(p)->shared))

static gp_field_value get_call_paths(const gp_part *p) {
  const gp_data *data = opened(p);
  if (!data->paths.known) return gp_no_value;
  return gp_text_value(gp_measured_is_complete(data) ? "complete" : "partial");
}

GP_GETTER(uncounted, gp_integer_value(opened(p)->uncounted))
GP_GETTER(full_bins, gp_integer_value(opened(p)->full.count))
GP_GETTER(full_address, opened(p)->full.count > 0
                            ? gp_integer_value(opened(p)->full.address) : gp_no_value)

/* data:set_full(count, address): sets the full bins of files that another process has
 * added up in the file that was read */
static int set_full(lua_State *L) {
  gp_check_data(L, 1)->full =
      (gp_full_bins){.count = (uint64_t)luaL_checkinteger(L, 2),
                     .address = (uint64_t)luaL_checkinteger(L, 3)};
  return 0;
}

GP_GETTER(pointer_size, gp_integer_value(opened(p)->layout.pointer_size))
GP_GETTER(big_endian, gp_boolean_value(opened(p)->layout.big_endian))

static gp_field_value get_files(const gp_part *p) {
  opened(p);
  lua_getiuservalue(p->L, 1, GP_DATA_FILES);
  return gp_pushed_value;
}

/* The lowest or highest address of histograms and callees; nil if there are none. */
static gp_field_value end_of_range(const gp_data *data, bool highest) {
  gp_range range = gp_data_covered(data);
  for (size_t i = 0; i < data->arcs.count; i++) {
    if (data->arcs.self[i] < range.low) range.low = data->arcs.self[i];
    if (data->arcs.self[i] > range.high) range.high = data->arcs.self[i];
  }
  if (range.low > range.high) return gp_no_value;
  return gp_integer_value(highest ? range.high : range.low);
}

GP_GETTER(low, end_of_range(opened(p), false))
GP_GETTER(high, end_of_range(opened(p), true))

void gp_define_data(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_data}, {"__close", close_data}, {"__tostring", describe},
      {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"close", close_data}, {"read", read_file}, {"add_file", add_file},
      {"add_paths", add_paths}, {"set_full", set_full},
      {NULL, NULL}};
  static const gp_field fields[] = {
      {"histogram_records", get_histogram_records},
      {"arc_records", get_arc_records},
      {"block_records", get_block_records},
      {"bytes", get_bytes},  /* size of the files read */
      {"has_histogram", get_has_histogram},
      {"has_call_graph", get_has_call_graph},  /* counted calls, or paths of samples */
      {"has_arcs", get_has_arcs},  /* true also for formats that always record arcs */
      {"shared", get_shared},  /* is a profile of a shared library */
      {"call_paths", get_call_paths},  /* "complete" or "partial", or nil */
      {"uncounted", get_uncounted},  /* calls lost because the library's arc table was
                                        full */
      {"full_bins", get_full_bins},  /* bins in which a counter reached its maximum */
      {"full_address", get_full_address},  /* of the first one, or nil */
      {"pointer_size", get_pointer_size},  /* bytes */
      {"big_endian", get_big_endian},
      {"files", get_files},  /* list: path, format and record counts of each file */
      {"low", get_low},    /* lowest address of histograms and callees, or nil */
      {"high", get_high},  /* highest address of histograms and callees, or nil */
      {NULL, NULL}};
  static const luaL_Reg functions[] = {{"data", new_data}, {NULL, NULL}};
  gp_define_object(L, GP_DATA, gp_get_field, meta, methods, fields);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
