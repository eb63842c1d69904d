/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds functions of an image by name, source file and line, for Lua. Functions are
 * identified by number, counted from 1. */
#include <string.h>

#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/pattern.h"
#include "lua/symbols.h"
#include "profile/inlines/inlined_frames.h"

/* Returns the function number at stack index `index` as a row; an error about argument
 * `argument` unless the number is from 1 to `count`. */
static uint32_t check_row(lua_State *L, int index, int argument, size_t count) {
  lua_Integer id = lua_tointeger(L, index);
  luaL_argcheck(L, id >= 1 && (lua_Unsigned)id <= count, argument,
                "no function with this number");
  return (uint32_t)(id - 1);
}

/* Returns argument `argument`, a function number, as a row; an error unless it is an
 * integer from 1 to `count`. */
static uint32_t check_id(lua_State *L, int argument, size_t count) {
  luaL_checkinteger(L, argument);
  return check_row(L, argument, argument, count);
}

/* --- by name --------------------------------------------------------------- */

/* Returns the name index of the symbols at stack index 1, built on first use. */
static const gp_name_index *check_names(lua_State *L) {
  gp_symbols_box *box = gp_check_symbols(L, 1);
  if (!box->named) {
    if (!gp_name_index_build(&box->names, &box->symtab, box->image->image))
      gp_raise_no_memory(L);
    box->named = true;
  }
  return &box->names;
}

/* Replaces the guard on the top of the stack with an array of the function numbers in its
 * block. */
static int push_found(lua_State *L, void **guard, size_t count) {
  gp_take_rows(L, guard, count);
  gp_report_large_names(L, gp_check_symbols(L, 1)->image);
  return 1;
}

/* symbols:named(name [, demangled]) -> numbers of functions */
static int named(lua_State *L) {
  const gp_name_index *names = check_names(L);
  const char *name = luaL_checkstring(L, 2);
  bool demangled = lua_toboolean(L, 3);
  size_t count = 0;
  void **guard = gp_push_guard(L);
  gp_check_symbols(L, 1);  /* the guard can run a finalizer that closes the image */
  *guard = demangled ? gp_name_index_demangled(names, name, &count)
                     : gp_name_index_find(names, name, &count);
  return push_found(L, guard, count);
}

/* symbols:matching(pattern) -> numbers of functions */
static int matching(lua_State *L) {
  const gp_name_index *names = check_names(L);
  const gp_name_pattern *pattern = gp_check_pattern(L, 2);
  size_t count = 0;
  void **guard = gp_push_guard(L);
  gp_check_symbols(L, 1);  /* as in `named` */
  *guard = gp_name_index_matching(names, pattern, &count);
  return push_found(L, guard, count);
}

/* symbols:owner(id) -> for a cold part, the number of its function; else `id` */
static int owner(lua_State *L) {
  const gp_symtab *symtab = &gp_check_symbols(L, 1)->symtab;
  uint32_t row = check_id(L, 2, symtab->count);
  lua_pushinteger(L, (lua_Integer)gp_symtab_owner(symtab, row) + 1);
  return 1;
}

/* symbols:name(id) -> name in the symbol table, not demangled */
static int name(lua_State *L) {
  const gp_symbols_box *box = gp_check_symbols(L, 1);
  lua_pushstring(L, box->symtab.name[check_id(L, 2, box->symtab.count)]);
  return 1;
}

/* --- by file and line ------------------------------------------------------ */

static const gp_symbol_sources *check_sources(lua_State *L, int index) {
  return gp_sources_of_symbols(L, gp_check_symbols(L, index));
}

/* symbols:files() -> array of names of source files, in order of first use */
static int files(lua_State *L) {
  const gp_symbol_sources *sources = check_sources(L, 1);
  lua_createtable(L, (int)sources->files.count, 0);
  for (size_t i = 0; i < sources->files.count; i++) {
    lua_pushstring(L, sources->files.name[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* Appends a function number to the array on the top of the stack. */
static void append_row(lua_State *L, uint32_t row, lua_Integer *count) {
  lua_pushinteger(L, (lua_Integer)row + 1);
  lua_rawseti(L, -2, ++*count);
}

/* symbols:in_file(number [, line]) -> numbers of the functions of a source file; with
 * `line`, only of those that begin at that line */
static int in_file(lua_State *L) {
  const gp_symbol_sources *sources = check_sources(L, 1);
  lua_Integer file = luaL_checkinteger(L, 2), count = 0;
  lua_Integer line = luaL_optinteger(L, 3, -1);
  luaL_argcheck(L, file >= 1 && (lua_Unsigned)file <= sources->files.count, 2,
                "no file with this number");
  lua_newtable(L);
  for (size_t i = sources->start[file - 1]; i < sources->start[file]; i++) {
    uint32_t row = sources->by_file[i];
    if (line < 0 || sources->line[row] == (lua_Unsigned)line) append_row(L, row, &count);
  }
  return 1;
}

/* symbols:at_line(line) -> numbers of the functions that begin at that line in any
 * file */
static int at_line(lua_State *L) {
  const gp_symbol_sources *sources = check_sources(L, 1);
  lua_Integer line = luaL_checkinteger(L, 2), count = 0;
  lua_newtable(L);
  for (uint32_t s = 0; s < sources->symbols; s++)
    if (sources->file[s] != GP_NONE && sources->line[s] == (lua_Unsigned)line)
      append_row(L, s, &count);
  return 1;
}

/* symbols:source(id) -> file number and line of a function, or nil */
static int source(lua_State *L) {
  const gp_symbol_sources *sources = check_sources(L, 1);
  uint32_t row = check_id(L, 2, sources->symbols);
  if (sources->file[row] == GP_NONE) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, (lua_Integer)sources->file[row] + 1);
  lua_pushinteger(L, sources->line[row]);
  return 2;
}

/* Pushes an array with a byte for each function: 1 if the list at stack index 2 contains
 * its number. */
static const uint8_t *push_chosen(lua_State *L, const gp_symtab *functions) {
  size_t count = lua_rawlen(L, 2);
  uint8_t *chosen = lua_newuserdatauv(L, functions->count, 0);
  memset(chosen, 0, functions->count);
  for (size_t i = 1; i <= count; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i);
    chosen[check_row(L, -1, 2, functions->count)] = 1;
    lua_pop(L, 1);
  }
  return chosen;
}

/* Whether a symbol of a table by line belongs to one of the chosen functions. Inlined
 * code belongs to the inlined function, if the table of functions has it. A function's
 * own symbol belongs to it even if its code begins with inlined code. */
static bool is_chosen(const gp_symtab *lines, uint32_t row, const gp_symtab *functions,
                      const uint8_t *chosen) {
  const gp_symtab_inlining *inlining = functions->inlining;
  uint32_t inlined = GP_NONE;
  if (inlining) inlined = gp_inlined_symbol_at(inlining, lines->address[row]);
  if (inlined == GP_NONE) return chosen[lines->lines->origin[row]];
  return chosen[inlined] || chosen[gp_symtab_owner(functions, inlined)] ||
         (!gp_symtab_is_line(lines, row) && chosen[lines->lines->origin[row]]);
}

/* lines:expand(ids, functions) -> the numbers, in `lines`, of all symbols of the given
 * functions. `lines` is a table by line; `ids` are numbers in the table of functions from
 * which `lines` was made, or in one with inlined functions that was made from it. */
static int expand(lua_State *L) {
  const gp_symtab *lines = &gp_check_symbols(L, 1)->symtab;
  luaL_checktype(L, 2, LUA_TTABLE);
  const gp_symtab *functions = &gp_check_symbols(L, 3)->symtab;
  luaL_argcheck(L, lines->lines, 1, "symbols by line expected");
  const uint8_t *chosen = push_chosen(L, functions);
  lua_Integer appended = 0;
  lua_newtable(L);
  for (uint32_t row = 0; row < lines->count; row++)
    if (is_chosen(lines, row, functions, chosen)) append_row(L, row, &appended);
  return 1;
}

/* symbols:extent(id) -> in a table by line, the number of the last symbol in a function's
 * code; `id` itself if `id` is not a function */
static int extent(lua_State *L) {
  const gp_symtab *symtab = &gp_check_symbols(L, 1)->symtab;
  uint32_t first = check_id(L, 2, symtab->count);
  bool line = gp_symtab_is_line(symtab, first);
  uint32_t end = line ? first + 1 : gp_symtab_code_end(symtab, first);
  lua_pushinteger(L, (lua_Integer)end);
  return 1;
}

/* symbols:by_source(ids) -> the same numbers sorted by source, in GNU gprof's order.
 * `ids` must be ascending. */
static int by_source(lua_State *L) {
  const gp_symbol_sources *sources = check_sources(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  size_t count = lua_rawlen(L, 2);
  uint32_t *rows = lua_newuserdatauv(L, (count + 1) * sizeof *rows, 0);
  lua_newtable(L);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    rows[i] = check_row(L, -1, 2, sources->symbols);
    lua_pop(L, 1);
  }
  if (!gp_symbol_sources_sort(sources, rows, count)) return gp_raise_no_memory(L);
  lua_Integer appended = 0;
  for (size_t i = 0; i < count; i++) append_row(L, rows[i], &appended);
  return 1;
}

void gp_define_symbol_lookup(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"named", named}, {"matching", matching}, {"files", files}, {"in_file", in_file},
      {"at_line", at_line}, {"source", source}, {"by_source", by_source}, {"name", name},
      {"expand", expand}, {"extent", extent}, {"owner", owner}, {NULL, NULL}};
  gp_define_methods(L, GP_SYMBOLS, methods);
}
