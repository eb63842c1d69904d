/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels: what reports call functions.
 *
 * labels(profile, options) is like a table of texts by the numbers of functions and cycles:
 * the name; behind it, if options want that, and in profiles by line, the source; and, for
 * cross-references, cycle and number in the call graph. Streams write them without making
 * strings of them.
 */
#include <string.h>

#include "binding.h"
#include "text.h"

#define GP_LABELS "gprof.labels"

struct labels {
  const profile_box *profile;  /* kept alive by the user value */
  symbols_box *of;             /* by that one */
  bool symbols;           /* names as in the symbol table */
  bool sources, addresses;
  bool whole_paths;
  bool references;
};

/* labels(profile, { symbols, inline_file_names, print_path, references }) */
static int new_labels(lua_State *L) {
  const gp_profile *profile = check_profile(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  labels *made = lua_newuserdatauv(L, sizeof *made, 1);
  bool by_line = profile->symtab->function != NULL;
  lua_getiuservalue(L, 1, PROFILE_SYMBOLS);
  *made = (labels){.profile = lua_touserdata(L, 1),
                   .of = lua_touserdata(L, -1),
                   .symbols = flag_option(L, 2, "symbols"),
                   .sources = by_line || flag_option(L, 2, "inline_file_names"),
                   .addresses = by_line,
                   .whole_paths = flag_option(L, 2, "print_path"),
                   .references = flag_option(L, 2, "references")};
  lua_pop(L, 1);
  luaL_setmetatable(L, GP_LABELS);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

const labels *test_labels(lua_State *L, int index) {
  return luaL_testudata(L, index, GP_LABELS);
}

void check_labels_open(lua_State *L, const labels *set) { open_profile(L, set->profile); }

static char *add_text(char *out, const char *text) {
  size_t length = strlen(text);
  memcpy(out, text, length);
  return out + length;
}

static char *add_number(char *out, const char *before, uint64_t number, const char *behind) {
  const gp_column_style plain = {.precision = -1};
  out = add_text(out, before);
  out = gp_text_integer(out, (int64_t)number, plain);
  return add_text(out, behind);
}

static char *add_address(char *out, uint64_t address) {
  char digits[17];
  int count = 0;
  do digits[count++] = "0123456789abcdef"[address % 16]; while (address /= 16);
  out = add_text(out, " @ ");
  while (count > 0) *out++ = digits[--count];
  return out;
}

static const char *last_component(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The source, as far as it is known. Returns where the rest of the label goes on. */
static char *add_source(lua_State *L, const labels *set, uint32_t function, label *made) {
  const gp_sources *sources = sources_of_symbols(L, set->of);
  uint32_t file = sources->file[function];
  if (file == GP_NONE) return made->rest;
  const char *path = sources->files.name[file];
  made->file = set->whole_paths ? path : last_component(path);
  char *out = add_number(made->rest, ":", sources->line[function], "");
  if (set->addresses) out = add_address(out, set->of->symtab.address[function]);
  return add_text(out, ")");
}

/* Cycle and number. */
static char *add_reference(const gp_graph *graph, uint32_t node, char *out) {
  uint32_t cycle = node < graph->functions ? graph->cycle[node] : GP_NONE;
  if (cycle != GP_NONE) out = add_number(out, " <cycle ", cycle - graph->functions + 1, ">");
  bool printed = graph->printed[node];
  return add_number(out, printed ? " [" : " (", graph->rank[node], printed ? "]" : ")");
}

void make_label(lua_State *L, const labels *set, lua_Integer id, label *made) {
  const gp_graph *graph = &open_profile(L, set->profile)->graph;
  if (id < 1 || (lua_Unsigned)id > graph->functions + graph->cycles)
    luaL_error(L, "no function or cycle of that number");
  uint32_t node = (uint32_t)(id - 1);
  char *out = made->rest;
  made->file = NULL;
  if (node >= graph->functions) {
    made->name = "<cycle ";
    out = add_number(out, "", node - graph->functions + 1, ">");
  } else {
    made->name = set->symbols ? plain_name(set->of, node) : shown_name(L, set->of, node);
    if (set->sources) out = add_source(L, set, node, made);
  }
  if (set->references) out = add_reference(graph, node, out);
  *out = '\0';
}

void push_label(lua_State *L, const label *made) {
  lua_pushfstring(L, "%s%s%s%s", made->name, made->file ? " (" : "",
                  made->file ? made->file : "", made->rest);
}

/* labels[number] */
static int get_label(lua_State *L) {
  const labels *set = luaL_checkudata(L, 1, GP_LABELS);
  label made;
  make_label(L, set, luaL_checkinteger(L, 2), &made);
  push_label(L, &made);
  return 1;
}

void define_labels(lua_State *L) {
  static const luaL_Reg meta[] = {{"__index", get_label}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"labels", new_labels}, {NULL, NULL}};
  luaL_newmetatable(L, GP_LABELS);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
