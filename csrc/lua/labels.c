/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels: what reports call functions.
 *
 * labels(profile, options) is like a table of texts by the numbers of functions and
 * cycles: the name; behind it, if options want that, and in profiles by line unless it is
 * to be bare, the source, or the file of static functions only, as there can be several
 * so named; and, for cross-references, cycle and number in the call graph, or, for an
 * index, that number before the name. Streams write them without making strings of them,
 * and shorten names to the width of a terminal, if that is wanted.
 */
#include <lauxlib.h>
#include <string.h>

#include "base/columns.h"
#include "lua/arguments.h"
#include "lua/labels.h"
#include "lua/module.h"
#include "lua/symbols.h"

#define GP_LABELS "gprof.labels"

struct gp_labels {
  const gp_profile_box *profile;  /* kept alive by the user value */
  gp_symbols_box *of;          /* by that one */
  bool symbols;           /* names as in the symbol table */
  bool sources, addresses;
  bool static_files;
  bool whole_paths;
  bool references, numbered;
  size_t width;           /* columns of the lines that they stand at the end of, for
                             which names are shortened; 0: names are whole */
  const char *mark;
};

/* Columns that lines can have: whatever is said of a terminal. */
enum { MOST_WIDTH = 1000000 };

static size_t width_option(lua_State *L, int table) {
  lua_getfield(L, table, "width");
  lua_Integer width = luaL_optinteger(L, -1, 0);
  lua_pop(L, 1);
  return width > 0 && width <= MOST_WIDTH ? (size_t)width : 0;
}

/* labels(profile, { bare, symbols, inline_file_names, static_files, print_path,
 * references, numbered, width, ascii }) */
static int new_labels(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  gp_labels *made = lua_newuserdatauv(L, sizeof *made, 1);
  bool by_line = profile->symtab->lines != NULL;
  lua_getiuservalue(L, 1, GP_PROFILE_SYMBOLS);
  *made = (gp_labels){.profile = lua_touserdata(L, 1),
                      .of = lua_touserdata(L, -1),
                      .symbols = gp_flag_option(L, 2, "symbols"),
                      .sources = !gp_flag_option(L, 2, "bare") &&
                                 (by_line || gp_flag_option(L, 2, "inline_file_names")),
                      .addresses = by_line,
                      .static_files = !by_line && gp_flag_option(L, 2, "static_files"),
                      .whole_paths = gp_flag_option(L, 2, "print_path"),
                      .references = gp_flag_option(L, 2, "references"),
                      .numbered = gp_flag_option(L, 2, "numbered"),
                      .width = width_option(L, 2),
                      .mark = gp_flag_option(L, 2, "ascii") ? "..." : "\xe2\x80\xa6"};
  lua_pop(L, 1);
  luaL_setmetatable(L, GP_LABELS);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

const gp_labels *gp_test_labels(lua_State *L, int index) {
  return luaL_testudata(L, index, GP_LABELS);
}

void gp_check_labels_open(lua_State *L, const gp_labels *set) {
  gp_open_profile(L, set->profile);
}

bool gp_are_labels_of(const gp_labels *set, const gp_profile_box *profile) {
  return set->profile == profile;
}

/* A label in the making: its numbers are set at `end`, where a text begins at `begin`. */
typedef struct maker {
  gp_label *made;
  char *begin, *end;
} maker;

/* Adds text that lasts. */
static void add_name(maker *m, const char *text) {
  m->made->part[m->made->count++] = text;
}

/* What was set since the last time is a part, too. */
static void end_numbers(maker *m) {
  if (m->end == m->begin) return;
  *m->end++ = '\0';
  add_name(m, m->begin);
  m->begin = m->end;
}

static void add_text(maker *m, const char *text) {
  size_t length = strlen(text);
  memcpy(m->end, text, length);
  m->end += length;
}

static void add_number(maker *m, const char *before, uint64_t number,
                       const char *behind) {
  const gp_column_style plain = {.precision = -1};
  add_text(m, before);
  m->end = gp_columns_integer(m->end, (int64_t)number, plain);
  add_text(m, behind);
}

static void add_address(maker *m, uint64_t address) {
  char digits[17];
  int count = 0;
  do digits[count++] = "0123456789abcdef"[address % 16]; while (address /= 16);
  add_text(m, " @ ");
  while (count > 0) *m->end++ = digits[--count];
}

static void add_file(maker *m, const gp_labels *set, const char *path) {
  const char *slash = set->whole_paths ? NULL : strrchr(path, '/');
  add_text(m, " (");
  end_numbers(m);
  add_name(m, slash ? slash + 1 : path);
}

/* Where a function is from, as far as it is known. */
static void add_sources(lua_State *L, maker *m, const gp_labels *set, uint32_t function) {
  const gp_symtab *symtab = &set->of->symtab;
  bool with_file = set->static_files && symtab->flags[function] & GP_STATIC;
  if (!set->sources && !with_file) return;
  const gp_symbol_sources *sources = gp_sources_of_symbols(L, set->of);
  uint32_t file = sources->file[function];
  if (file == GP_NONE) return;
  const char *path = sources->files.name[file];
  if (set->sources) {
    add_file(m, set, path);
    add_number(m, ":", sources->line[function], "");
    if (set->addresses) add_address(m, symtab->address[function]);
    add_text(m, ")");
  }
  if (with_file) {
    add_file(m, set, path);
    add_text(m, ")");
  }
}

/* The number of an entry; in parentheses if there is none to look up. */
static void add_index(maker *m, const gp_callgraph *graph, uint32_t node) {
  bool printed = graph->printed[node];
  add_number(m, printed ? "[" : "(", graph->rank[node], printed ? "]" : ")");
}

static void add_function(lua_State *L, maker *m, const gp_labels *set,
                         uint32_t function) {
  end_numbers(m);
  m->made->name = m->made->count;
  add_name(m, set->symbols ? gp_linker_name(set->of, function)
                           : gp_shown_name(L, set->of, function));
  add_sources(L, m, set, function);
}

void gp_make_label(lua_State *L, const gp_labels *set, lua_Integer id, gp_label *made) {
  const gp_callgraph *graph = &gp_open_profile(L, set->profile)->graph;
  if (id < 1 || (lua_Unsigned)id > graph->functions + graph->cycles)
    luaL_error(L, "no function or cycle of that number");
  uint32_t node = (uint32_t)(id - 1), first_cycle = (uint32_t)graph->functions;
  uint32_t cycle = node < first_cycle ? graph->cycle[node] : GP_NONE;
  maker m = {made, made->numbers, made->numbers};
  made->count = made->name = 0;
  made->width = node < first_cycle ? set->width : 0;
  made->mark = set->mark;
  made->numbers[0] = '\0';
  if (set->numbered) {
    add_index(&m, graph, node);
    add_text(&m, " ");
  }
  if (node < first_cycle)
    add_function(L, &m, set, node);
  else
    add_number(&m, "<cycle ", node - first_cycle + 1, ">");
  if (set->references) {
    if (cycle != GP_NONE) add_number(&m, " <cycle ", cycle - first_cycle + 1, ">");
    add_text(&m, " ");
    add_index(&m, graph, node);
  }
  end_numbers(&m);
}

/* labels[number] */
static int get_label(lua_State *L) {
  const gp_labels *set = luaL_checkudata(L, 1, GP_LABELS);
  gp_label made;
  gp_make_label(L, set, luaL_checkinteger(L, 2), &made);
  gp_push_label(L, &made);
  return 1;
}

void gp_define_labels(lua_State *L) {
  static const luaL_Reg meta[] = {{"__index", get_label}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"labels", new_labels}, {NULL, NULL}};
  luaL_newmetatable(L, GP_LABELS);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
