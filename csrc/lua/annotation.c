/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts and times of source lines, for Lua. */
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/profile.h"
#include "lua/symbols.h"
#include "profile/annotation.h"
#include "profile/line_executions.h"

#define GP_ANNOTATION "gprof.annotation"

typedef struct annotation_box {
  gp_annotation lines;
  bool open;
} annotation_box;

static annotation_box *check_box(lua_State *L, int index) {
  return luaL_checkudata(L, index, GP_ANNOTATION);
}

/* Returns the annotation at stack index `index`; a Lua error if it is closed or of
 * another type. */
static const gp_annotation *check_annotation(lua_State *L, int index) {
  const annotation_box *box = check_box(L, index);
  if (!box->open) luaL_argerror(L, index, "annotation is closed");
  return &box->lines;
}

static int release(lua_State *L) {
  annotation_box *box = check_box(L, 1);
  if (box->open) gp_annotation_free(&box->lines);
  box->open = false;
  return 0;
}

/* Returns the source lines of the symbols of the profile at stack index 1. Leaves the
 * symbols on the stack. Can run Lua code, which may close the profile. */
static const gp_symbol_sources *sources_of(lua_State *L) {
  lua_getiuservalue(L, 1, GP_PROFILE_SYMBOLS);
  return gp_sources_of_symbols(L, gp_check_symbols(L, lua_gettop(L)));
}

/* Returns argument 2, the number of a source file, as an index. */
static uint32_t check_file(lua_State *L, const gp_symbol_sources *sources) {
  lua_Integer file = luaL_checkinteger(L, 2);
  luaL_argcheck(L, file >= 1 && (lua_Unsigned)file <= sources->files.count, 2,
                "no file with this number");
  return (uint32_t)(file - 1);
}

/* annotated(profile, file) -> number of the symbols (functions and lines) of a source
 * file that are selected for annotation; number of their calls; number of executions of
 * their basic blocks */
static int annotated(lua_State *L) {
  gp_check_profile(L, 1);
  const gp_symbol_sources *sources = sources_of(L);
  uint32_t file = check_file(L, sources);
  gp_file_sums sums = gp_annotation_sums(gp_check_profile(L, 1), sources, file);
  lua_pushinteger(L, (lua_Integer)sums.symbols);
  lua_pushinteger(L, (lua_Integer)sums.calls);
  lua_pushinteger(L, (lua_Integer)sums.blocks);
  return 3;
}

/* annotation(profile, file [, gnu_compat]) -> annotation of the lines of a source file */
static int new_annotation(lua_State *L) {
  gp_check_profile(L, 1);
  lua_settop(L, 3);
  const gp_symbol_sources *sources = sources_of(L);
  uint32_t file = check_file(L, sources);
  annotation_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (annotation_box){.open = false};
  luaL_setmetatable(L, GP_ANNOTATION);
  box->open = gp_annotation_collect(&box->lines, gp_check_profile(L, 1), sources, file,
                                    gp_policy_of(lua_toboolean(L, 3)));
  return box->open ? 1 : gp_raise_no_memory(L);
}

/* line_executions(profile, file) -> table from the lines of a source file to how often
 * they were executed, by the counts of blocks. The profile is by line */
static int get_line_executions(lua_State *L) {
  bool by_line = gp_check_profile(L, 1)->symtab->lines != NULL;
  luaL_argcheck(L, by_line, 1, "the profile is not by line");
  lua_settop(L, 2);
  const gp_symbol_sources *sources = sources_of(L);
  uint32_t file = check_file(L, sources);
  size_t count;
  void **guard = gp_push_guard(L);
  const gp_executed_line *lines = *guard =
      gp_line_executions(gp_check_profile(L, 1), sources, file, &count);
  if (!lines) return gp_raise_no_memory(L);
  lua_createtable(L, 0, (int)count);
  for (size_t i = 0; i < count; i++) {
    lua_pushinteger(L, (lua_Integer)lines[i].executions);
    lua_rawseti(L, -2, lines[i].line);
  }
  return 1;
}

/* --- lines ------------------------------------------------------------------------ */

/* Adds the counts of a line to the table at the top; without `all`, those whose counter
 * is on the line. */
static void add_counts(lua_State *L, const gp_annotation *lines, size_t line, bool all) {
  lua_Integer count = 0;
  for (size_t i = lines->first[line]; i < lines->first[line + 1]; i++) {
    if (lines->continued[i] && !all) continue;
    lua_pushinteger(L, (lua_Integer)lines->counts[i]);
    lua_rawseti(L, -2, ++count);
  }
}

static void push_if_known(lua_State *L, uint64_t count, bool known) {
  if (known)
    lua_pushinteger(L, (lua_Integer)count);
  else
    lua_pushnil(L);
}

/* Upvalues: the annotation, the next row, whether to return all counts. */
static int next_line(lua_State *L) {
  lua_settop(L, 0);
  lua_newtable(L);  /* first: allocation can run a finalizer that closes the annotation */
  const gp_annotation *lines = check_annotation(L, lua_upvalueindex(1));
  size_t row = (size_t)lua_tointeger(L, lua_upvalueindex(2));
  if (row >= lines->count) return 0;
  lua_pushinteger(L, (lua_Integer)row + 1);
  lua_replace(L, lua_upvalueindex(2));
  add_counts(L, lines, row, lua_toboolean(L, lua_upvalueindex(3)));
  lua_pushinteger(L, lines->line[row]);
  lua_insert(L, 1);
  lua_pushnumber(L, lines->seconds[row]);
  push_if_known(L, lines->calls[row], lines->flags[row] & GP_LINE_CALLS);
  push_if_known(L, lines->blocks[row], lines->flags[row] & GP_LINE_BLOCKS);
  lua_pushboolean(L, lines->flags[row] & GP_LINE_ENTRY);
  lua_pushboolean(L, lines->flags[row] & GP_LINE_CONTINUES);
  return 7;
}

/* annotation:lines([all]) -> iterator that returns number, counts, seconds, calls and
 * blocks of each line; whether a function begins on it; whether its code continues the
 * block before it. The counts are those of blocks that begin on the line; if `all` is
 * true, also those of blocks whose counter is elsewhere */
static int lines(lua_State *L) {
  check_annotation(L, 1);
  lua_settop(L, 2);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, next_line, 3);
  return 1;
}

/* --- fields ------------------------------------------------------------------------ */

static gp_field_value get_last(const gp_part *p) {
  const annotation_box *box = p->owner;
  if (!box->open) luaL_error(p->L, "annotation is closed");
  const gp_annotation *lines = &box->lines;
  return gp_integer_value(lines->count > 0 ? lines->line[lines->count - 1] : 0);
}

void gp_define_annotation(lua_State *L) {
  static const luaL_Reg meta[] = {{"__gc", release}, {"__close", release}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"lines", lines}, {NULL, NULL}};
  static const gp_field fields[] = {
      {"last", get_last},  /* highest line number; 0 if there are no lines */
      {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"annotated", annotated}, {"annotation", new_annotation},
      {"line_executions", get_line_executions}, {NULL, NULL}};
  gp_define_object(L, GP_ANNOTATION, gp_get_field, meta, methods, fields);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
