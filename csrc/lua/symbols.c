/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbol tables (the functions of an image) for Lua. */
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/debug_file.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/symbols.h"
#include "lua/trace.h"
#include "profile/inlines/inlined_symtab.h"
#include "profile/line_symtab.h"
#include "profile/profile.h"
#include "symbols/unnamed_code.h"

/* Returns why symbols cannot be used, or NULL. A symbol table is never built empty. So an
 * empty one has been freed: the collector may finalize symbols before the objects that
 * use them. */
static const char *problem_of(const gp_symbols_box *box) {
  if (box->symtab.count == 0) return "symbols are closed";
  return box->image->image ? NULL : "image is closed";
}

bool gp_symbols_are_open(const gp_symbols_box *box) { return !problem_of(box); }

gp_symbols_box *gp_check_symbols(lua_State *L, int index) {
  gp_symbols_box *box = luaL_checkudata(L, index, GP_SYMBOLS);
  const char *problem = problem_of(box);
  if (problem) luaL_argerror(L, index, problem);
  return box;
}

gp_symbols_box *gp_open_symbols(lua_State *L, gp_symbols_box *box) {
  const char *problem = problem_of(box);
  if (problem) luaL_error(L, "%s", problem);
  return box;
}

const gp_symbol_sources *gp_sources_of_symbols(lua_State *L, gp_symbols_box *box) {
  gp_error error = {""};
  if (box->sourced) return &box->sources;
  gp_find_debug_files(L, box->image, !box->symtab.policy->debug_files);
  if (!box->sourced &&  /* finding files can run Lua code, which may have come here */
      !gp_symbol_sources_read(&box->sources, &box->symtab, box->image->image, NULL,
                              &error))
    gp_raise_no_memory(L);
  box->sourced = true;
  return &box->sources;
}

const char *gp_linker_name(const gp_symbols_box *box, uint32_t id) {
  return box->symtab.name[id];
}

const char *gp_shown_name(lua_State *L, gp_symbols_box *box, uint32_t id) {
  if (!box->demangled) return gp_linker_name(box, id);
  const char *name = gp_demangled_name(&box->shown, box->image->image, &box->symtab, id);
  if (!name) gp_raise_no_memory(L);
  gp_report_large_names(L, box->image);
  return name;
}

static int release(lua_State *L) {
  gp_symbols_box *box = luaL_checkudata(L, 1, GP_SYMBOLS);
  if (box->named) gp_name_index_free(&box->names);
  if (box->sourced) gp_symbol_sources_free(&box->sources);
  box->named = box->sourced = false;
  gp_demangled_free(&box->shown);
  gp_symtab_free(&box->symtab);
  gp_symfile_free(&box->listed);
  gp_symfile_free(&box->map);
  return 0;
}

/* Reads the symbol file or map that an option names, if the option is set. On failure,
 * pushes nil and a message, and returns false. */
static bool read_list(lua_State *L, gp_symfile *file, const char *option, bool map,
                      const gp_policy *policy, const gp_symfile **read) {
  const char *path = gp_text_option(L, 2, option);
  gp_error error = {""};
  if (!path) return true;
  *read = file;
  if (!gp_symfile_read(file, path, map, policy, &error))
    return gp_push_failure(L, path, &error) == 0;
  if (file->count > 0) return true;
  gp_fail(&error, "has no symbols");
  return gp_push_failure(L, path, &error) == 0;
}

static gp_symbols_box *new_box(lua_State *L, const gp_image_box *image) {
  gp_symbols_box *box = lua_newuserdatauv(L, sizeof *box, GP_SYMBOLS_VALUES);
  *box = (gp_symbols_box){.image = image};
  luaL_setmetatable(L, GP_SYMBOLS);
  gp_push_weak_table(L);
  lua_setiuservalue(L, -2, GP_SYMBOLS_OBJECTS);
  return box;
}

/* symbols(image, options [, trace [, shared [, program]]]) -> symbols; or nil and a
 * message. With `shared`, the symbols include <outside>, the caller of a shared library's
 * functions. With `program`, the name of a stripped program, they include its other
 * code. */
static int new_symbols(lua_State *L) {
  gp_check_image(L, 1);
  gp_error error = {""};
  const char *program = luaL_optstring(L, 5, NULL);
  luaL_checktype(L, 2, LUA_TTABLE);
  gp_symtab_options options = {
      .no_static = gp_flag_option(L, 2, "no_static"),
      .functions_only = gp_flag_option(L, 2, "ignore_non_functions"),
      .policy = gp_policy_of(gp_flag_option(L, 2, "gnu_compat")),
      .outside = lua_toboolean(L, 4),
      .gaps = program != NULL,
      .trace = gp_opt_trace(L, 3),
  };
  lua_settop(L, 5);
  gp_symbols_box *box = new_box(L, lua_touserdata(L, 1));
  box->demangled = !gp_flag_option(L, 2, "no_demangle");
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, GP_SYMBOLS_IMAGE);
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, GP_SYMBOLS_TRACE);
  if (!read_list(L, &box->listed, "external_symbol_table", false, options.policy,
                 &options.symbols) ||
      !read_list(L, &box->map, "file_ordering", true, options.policy, &options.map))
    return 2;
  box->complete = !options.no_static && !options.functions_only && !options.symbols &&
                  !options.map;
  gp_image *image = gp_check_image(L, 1);  /* new values can run a finalizer */
  if (gp_symtab_build(&box->symtab, image, &options, &error) &&
      (!program || gp_unnamed_code_add(&box->symtab, image, program, &error)))
    return 1;
  const char *listed = gp_text_option(L, 2, "external_symbol_table");
  if (listed) return gp_push_failure(L, listed, &error);
  lua_getiuservalue(L, 1, GP_IMAGE_PATH);
  return gp_push_failure(L, lua_tostring(L, -1), &error);
}

/* Pushes empty symbols that are made from those at stack index 1, the table of
 * functions, which they keep alive. */
static gp_symbols_box *push_derived(lua_State *L, const gp_symbols_box *functions) {
  gp_symbols_box *box = new_box(L, functions->image);
  box->demangled = functions->demangled;
  box->complete = functions->complete;
  for (int i = GP_SYMBOLS_IMAGE; i <= GP_SYMBOLS_TRACE; i++) {
    lua_getiuservalue(L, 1, i);
    lua_setiuservalue(L, -2, i);
  }
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, GP_SYMBOLS_FUNCTIONS);
  return box;
}

/* Returns nil and a message with the path of the image of the symbols at stack index
 * 1. */
static int fail_for_image(lua_State *L, const gp_error *error) {
  lua_getiuservalue(L, 1, GP_SYMBOLS_IMAGE);
  lua_getiuservalue(L, -1, GP_IMAGE_PATH);
  return gp_push_failure(L, lua_tostring(L, -1), error);
}

/* lines(symbols, data, all, named, chains) -> symbols by line; or nil and a message.
 * line_symtab.h describes `all`, `named` and `chains`. */
static int new_lines(lua_State *L) {
  gp_symbols_box *functions = gp_check_symbols(L, 1);
  gp_check_data(L, 2);
  if (!functions->symtab.sourceless)
    gp_find_debug_files(L, functions->image, !functions->symtab.policy->debug_files);
  gp_line_symtab_options options = {.all = lua_toboolean(L, 3),
                                    .named = lua_toboolean(L, 4),
                                    .chains = lua_toboolean(L, 5)};
  gp_error error = {""};
  gp_symbols_box *box = push_derived(L, functions);
  gp_check_symbols(L, 1);  /* new values can run a finalizer */
  const gp_data *data = gp_check_data(L, 2);
  if (gp_line_symtab_build(&box->symtab, &functions->symtab, box->image->image, data,
                           &options, &error)) {
    gp_report_gaps(L, box->image, &box->symtab.lines->gaps);
    return 1;
  }
  return fail_for_image(L, &error);
}

/* Returns the symbols of an object of the symbols at stack index 1, whose array of parts
 * is at stack index 3, if they are merged; NULL if they are unknown. */
static gp_symbols_box *object_symbols(lua_State *L, size_t number) {
  if (lua_isnil(L, 3)) return gp_check_symbols(L, 1);
  lua_rawgeti(L, 3, (lua_Integer)number + 1);
  bool known = lua_toboolean(L, -1);
  gp_symbols_box *box = known ? gp_open_symbols(L, lua_touserdata(L, -1)) : NULL;
  lua_pop(L, 1);
  return box;
}

static void find_debug_files(lua_State *L, size_t count, bool by_libbfd) {
  for (size_t i = 0; i < count; i++) {
    const gp_symbols_box *box = object_symbols(L, i);
    if (box) gp_find_debug_files(L, box->image, by_libbfd);
  }
}

/* Fills in the images of all objects; NULL if they are unknown. Creates no Lua values. */
static void take_images(lua_State *L, const gp_image **images, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const gp_symbols_box *box = object_symbols(L, i);
    images[i] = box ? box->image->image : NULL;
  }
}

/* inlined_symbols(symbols, data) -> symbols that include inlined functions; or nil and a
 * message */
static int new_inlined(lua_State *L) {
  gp_symbols_box *functions = gp_check_symbols(L, 1);
  gp_check_data(L, 2);
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, GP_SYMBOLS_PARTS);
  const gp_symtab_objects *objects = functions->symtab.objects;
  size_t count = objects ? objects->count : 1;
  find_debug_files(L, count, !functions->symtab.policy->debug_files);
  const gp_image **images = lua_newuserdatauv(L, count * sizeof *images, 0);
  gp_error error = {""};
  gp_symbols_box *box = push_derived(L, functions);
  gp_check_symbols(L, 1);  /* new values can run a finalizer */
  const gp_data *data = gp_check_data(L, 2);
  take_images(L, images, count);
  if (!gp_inlined_symtab_build(&box->symtab, &functions->symtab, images, data, &error))
    return fail_for_image(L, &error);
  for (size_t i = 0; i < count; i++) {
    const gp_symbols_box *object = object_symbols(L, i);
    if (object) gp_report_gaps(L, object->image, &box->symtab.inlining->gaps[i]);
  }
  return 1;
}

/* Pushes an array of the symbols of the objects in the array at stack index 2. */
static void push_parts(lua_State *L) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  lua_createtable(L, (int)count, 0);
  for (lua_Integer i = 1; i <= count; i++) {
    luaL_argcheck(L, lua_rawgeti(L, 2, i) == LUA_TTABLE, 2, "array of objects expected");
    lua_rawgeti(L, -1, 1);
    if (lua_toboolean(L, -1)) gp_check_symbols(L, lua_gettop(L));
    lua_rawseti(L, -3, i);
    lua_pop(L, 1);
  }
}

gp_symbols_box *gp_push_merged_symbols(lua_State *L) {
  push_parts(L);
  lua_rawgeti(L, -1, 1);  /* the symbols of the first object */
  luaL_argcheck(L, lua_toboolean(L, -1), 2, "the first object has no symbols");
  int first = lua_gettop(L);
  const gp_symbols_box *program = gp_check_symbols(L, first);
  gp_symbols_box *box = new_box(L, program->image);
  box->demangled = program->demangled;
  box->complete = program->complete;
  for (int i = GP_SYMBOLS_IMAGE; i <= GP_SYMBOLS_TRACE; i++) {
    lua_getiuservalue(L, first, i);
    lua_setiuservalue(L, -2, i);
  }
  lua_pushvalue(L, first - 1);
  lua_setiuservalue(L, -2, GP_SYMBOLS_PARTS);
  return box;
}

static int describe(lua_State *L) {
  const gp_symbols_box *box = luaL_checkudata(L, 1, GP_SYMBOLS);
  lua_pushfstring(L, "symbols: %d", (int)box->symtab.count);
  return 1;
}

/* --- fields ---------------------------------------------------------------- */

GP_GETTER(count, gp_integer_value(((const gp_symbols_box *)p->owner)->symtab.count))

/* Number of functions that begin in the table's range. The range ends with the last
 * symbol, usually at the end of .text. */
static gp_field_value get_reach(const gp_part *p) {
  const gp_symtab *symtab = &((const gp_symbols_box *)p->owner)->symtab;
  uint64_t end = gp_symtab_end(symtab, (uint32_t)(symtab->count - 1));
  return gp_integer_value(gp_symtab_above(symtab, end));
}

/* Number of functions that begin and end in the table's range. */
static gp_field_value get_covered(const gp_part *p) {
  const gp_symtab *symtab = &((const gp_symbols_box *)p->owner)->symtab;
  uint64_t end = gp_symtab_end(symtab, (uint32_t)(symtab->count - 1));
  uint32_t covered = gp_symtab_above(symtab, end);
  if (covered > 0 && gp_symtab_end(symtab, covered - 1) > end) covered--;
  return gp_integer_value(covered);
}

GP_GETTER(complete, gp_boolean_value(((const gp_symbols_box *)p->owner)->complete))
GP_GETTER(listed, gp_boolean_value(((const gp_symbols_box *)p->owner)->symtab.sourceless))

/* Object files of the map, in the order of its lines; nil without a map. */
static gp_field_value get_map_files(const gp_part *p) {
  lua_State *L = p->L;
  lua_Integer count = 0;
  lua_getiuservalue(L, 1, GP_SYMBOLS_FUNCTIONS);
  const gp_symbols_box *functions = luaL_testudata(L, -1, GP_SYMBOLS);
  const gp_symbols_box *of = functions ? functions : p->owner;
  const gp_symfile *map = &of->map;
  if (map->count == 0) return gp_no_value;
  lua_newtable(L);  /* the result */
  lua_newtable(L);  /* set of names in it */
  for (size_t i = 0; i < map->count; i++) {
    if (lua_getfield(L, -1, map->object[i]) == LUA_TNIL) {
      lua_pushboolean(L, true);
      lua_setfield(L, -3, map->object[i]);
      lua_pushstring(L, map->object[i]);
      lua_rawseti(L, -4, ++count);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return gp_pushed_value;
}

/* core.machinery: names of the profiling functions (mcount and others) */
static void define_machinery(lua_State *L) {
  lua_newtable(L);
  for (int i = 0; gp_machinery[i]; i++) {
    lua_pushstring(L, gp_machinery[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "machinery");
}

void gp_define_symbols(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", release}, {"__tostring", describe}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{NULL, NULL}};
  static const gp_field fields[] = {
      {"count", get_count}, {"reach", get_reach}, {"covered", get_covered},
      {"complete", get_complete},  /* has all functions of the image */
      {"listed", get_listed},      /* is from a symbol file */
      {"map_files", get_map_files}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"symbols", new_symbols}, {"lines", new_lines}, {"inlined_symbols", new_inlined},
      {NULL, NULL}};
  gp_define_object(L, GP_SYMBOLS, gp_get_field, meta, methods, fields);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
  define_machinery(L);
}
