/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Labels: the names of functions and cycles in reports.
 *
 * labels(profile, options)[number] is the label of a function or cycle: its name,
 * followed by
 * - the source line: in profiles by line or with `inline_file_names`, unless `bare`;
 * - a text of its own: `suffixes[number]`;
 * - the source file of a static function, with `static_files`, because several static
 *   functions may have the same name;
 * - the cycle and the number in the call graph, with `references`.
 *
 * Prepared rows (rows.c) write labels without creating Lua strings, and shorten names if
 * `width` limits the line.
 */
#include <lauxlib.h>
#include <string.h>

#include "base/array.h"
#include "base/columns.h"
#include "base/text_store.h"
#include "base/utf8_width.h"
#include "lua/arguments.h"
#include "lua/labels.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/symbols.h"
#include "symbols/distinct_names.h"

#define GP_LABELS "gprof.labels"

enum {  /* user values */
  LABELS_PROFILE = 1, LABELS_SHOWN, LABELS_SUFFIXES, LABELS_TEXTS,
  LABELS_VALUES = LABELS_TEXTS
};

/* Labels that were made, as text. */
typedef struct label_cache {
  const char **text;      /* for each node: its label after its length in bytes, a
                             uint32_t that is not aligned; NULL: not cached */
  gp_text_store store;
} label_cache;

struct gp_labels {
  gp_profile_box *profile;  /* kept alive by the user value LABELS_PROFILE */
  gp_symbols_box *box;    /* symbols of the profile, which keeps them alive */
  bool linker_names;      /* names as in the symbol table, not demangled */
  gp_name_form form;      /* of the names */
  const gp_shown_parts *shown;  /* of each function's name, if names are shortened; kept
                                   alive by the user value LABELS_SHOWN */
  bool sources, addresses;
  bool static_files;
  bool whole_paths;
  bool references;
  lua_Integer last_entry; /* later entries of the call graph are not printed */
  const char **suffix;    /* for each function: a text after its name, or NULL; kept alive
                             by the user values LABELS_SUFFIXES and LABELS_TEXTS. NULL if
                             no function has one */
  size_t width;           /* columns of a line that ends with a label: names are
                             shortened to fit; 0: not shortened */
  const char *mark;       /* replaces what is cut out of a name */
  label_cache *cache;     /* NULL: labels are not cached. Made by malloc */
};

/* Larger widths are ignored: names are not shortened. */
enum { MAX_WIDTH = 1000000 };

static const char *name_of(lua_State *L, const gp_labels *set, uint32_t function) {
  return set->linker_names ? gp_linker_name(set->box, function)
                           : gp_shown_name(L, set->box, function);
}

/* Finds what to show of the names of functions with time or calls. The labels are on the
 * top of the stack. */
static void show_differences(lua_State *L, gp_labels *set) {
  size_t count = 0, functions = gp_open_profile(L, set->profile)->graph.functions;
  gp_shown_parts *shown = lua_newuserdatauv(L, (functions + 1) * 2 * sizeof *shown, 0);
  memset(shown, 0, (functions + 1) * sizeof *shown);
  gp_shown_parts *found = shown + functions + 1;
  const char **names = lua_newuserdatauv(L, (functions + 1) * sizeof *names, 0);
  uint32_t *ids = lua_newuserdatauv(L, (functions + 1) * sizeof *ids, 0);
  for (uint32_t id = 0; id < functions; id++) {
    /* finding a name can run Lua code, which may close the profile */
    const gp_profile *profile = gp_open_profile(L, set->profile);
    if (!gp_callgraph_is_used(&profile->graph, id)) continue;
    names[count] = name_of(L, set, id);
    ids[count++] = id;
  }
  if (!gp_distinct_names(names, count, found)) gp_raise_no_memory(L);
  for (size_t i = 0; i < count; i++) shown[ids[i]] = found[i];
  lua_pop(L, 2);
  lua_setiuservalue(L, -2, LABELS_SHOWN);
  set->shown = shown;
}

/* Reads the option `suffixes`, a table of strings. The labels are on the top of the
 * stack. */
static void read_suffixes(lua_State *L, gp_labels *set, size_t functions) {
  int labels = lua_gettop(L);
  if (lua_getfield(L, 2, "suffixes") == LUA_TTABLE) {
    lua_newtable(L);  /* keeps the strings alive: the caller may change its table */
    set->suffix = lua_newuserdatauv(L, functions * sizeof *set->suffix, 0);
    for (size_t id = 0; id < functions; id++) {
      bool given = lua_rawgeti(L, labels + 1, (lua_Integer)id + 1) == LUA_TSTRING;
      set->suffix[id] = given ? lua_tostring(L, -1) : NULL;
      lua_rawseti(L, labels + 2, (lua_Integer)id + 1);
    }
    lua_setiuservalue(L, labels, LABELS_SUFFIXES);
    lua_setiuservalue(L, labels, LABELS_TEXTS);
  }
  lua_settop(L, labels);
}

/* Makes a cache for the labels of `nodes` functions and cycles, if there is memory. */
static void create_cache(gp_labels *set, size_t nodes) {
  label_cache *cache = gp_column(1, sizeof *cache);
  if (cache) cache->text = gp_column(nodes, sizeof *cache->text);
  if (cache && cache->text)
    set->cache = cache;
  else
    free(cache);
}

/* Returns an option; `otherwise` if it is nil. */
static lua_Integer integer_option(lua_State *L, const char *name,
                                  lua_Integer otherwise) {
  int is_integer, type = lua_getfield(L, 2, name);
  lua_Integer value = lua_tointegerx(L, -1, &is_integer);
  if (type != LUA_TNIL && !is_integer)
    luaL_error(L, "option '%s': integer expected, got %s", name, luaL_typename(L, -1));
  lua_pop(L, 1);
  return type == LUA_TNIL ? otherwise : value;
}

/* labels(profile, { bare, symbols, short_names, inline_file_names, static_files,
 * print_path, references, last_entry, width, ascii, suffixes }) */
static int new_labels(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  /* read first: the options are Lua values, and reading them can run Lua code */
  size_t functions = profile->graph.functions, nodes = functions + profile->graph.cycles;
  bool by_line = profile->symtab->lines != NULL;
  gp_labels *set = lua_newuserdatauv(L, sizeof *set, LABELS_VALUES);
  lua_Integer width = integer_option(L, "width", 0);
  lua_Integer last_entry = integer_option(L, "last_entry", LUA_MAXINTEGER);
  lua_getiuservalue(L, 1, GP_PROFILE_SYMBOLS);
  *set = (gp_labels){.profile = lua_touserdata(L, 1),
                      .box = lua_touserdata(L, -1),
                      .linker_names = gp_flag_option(L, 2, "symbols"),
                      .form = gp_flag_option(L, 2, "short_names") ? GP_WITHOUT_ARGUMENTS
                                                                 : GP_COMPLETE,
                      .sources = !gp_flag_option(L, 2, "bare") &&
                                 (by_line || gp_flag_option(L, 2, "inline_file_names")),
                      .addresses = by_line,
                      .static_files = !by_line && gp_flag_option(L, 2, "static_files"),
                      .whole_paths = gp_flag_option(L, 2, "print_path"),
                      .references = gp_flag_option(L, 2, "references"),
                      .last_entry = last_entry,
                      .width = width > 0 && width <= MAX_WIDTH ? (size_t)width : 0,
                      .mark = gp_flag_option(L, 2, "ascii") ? "..." : "\xe2\x80\xa6"};
  lua_pop(L, 1);
  luaL_setmetatable(L, GP_LABELS);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, LABELS_PROFILE);
  read_suffixes(L, set, functions);
  if (set->references && !gp_order_entries(&gp_check_profile(L, 1)->graph))
    gp_raise_no_memory(L);
  if (set->width != 0 || set->form != GP_COMPLETE)  /* depends on the rest of the line */
    show_differences(L, set);
  else if (set->references)
    create_cache(set, nodes);
  return 1;
}

static int release(lua_State *L) {
  gp_labels *set = luaL_checkudata(L, 1, GP_LABELS);
  if (!set->cache) return 0;
  gp_text_store_free(&set->cache->store);
  free(set->cache->text);
  free(set->cache);
  set->cache = NULL;
  return 0;
}

const gp_labels *gp_test_labels(lua_State *L, int index) {
  return luaL_testudata(L, index, GP_LABELS);
}

bool gp_are_labels_of(const gp_labels *set, const gp_profile_box *profile) {
  return set->profile == profile;
}

/* A label being built. Numbers and punctuation are collected in label->numbers, from
 * `begin` to `end`, until end_numbers turns them into a part of the label. */
typedef struct builder {
  gp_label *label;
  char *begin, *end;
} builder;

/* Adds text that outlives the label. */
static void add_name(builder *m, const char *text) {
  m->label->part[m->label->count++] = text;
}

/* Ends the part that begins at `begin`, if anything was added. */
static void end_numbers(builder *m) {
  if (m->end == m->begin) return;
  *m->end++ = '\0';
  add_name(m, m->begin);
  m->begin = m->end;
}

static void add_text(builder *m, const char *text) {
  size_t length = strlen(text);
  memcpy(m->end, text, length);
  m->end += length;
}

static void add_number(builder *m, const char *before, uint64_t number,
                       const char *after) {
  const gp_column_style plain = {.precision = -1};
  add_text(m, before);
  m->end = gp_columns_integer(m->end, (int64_t)number, plain);
  add_text(m, after);
}

static void add_address(builder *m, uint64_t address) {
  char digits[17];
  int count = 0;
  do digits[count++] = "0123456789abcdef"[address % 16]; while (address /= 16);
  add_text(m, " @ ");
  while (count > 0) *m->end++ = digits[--count];
}

static void add_file(builder *m, const gp_labels *set, const char *path) {
  const char *slash = set->whole_paths ? NULL : strrchr(path, '/');
  add_text(m, " (");
  end_numbers(m);
  add_name(m, slash ? slash + 1 : path);
}

/* Adds the source of a function, if it is known and the options ask for it. */
static void add_source(lua_State *L, builder *m, const gp_labels *set,
                       uint32_t function) {
  const gp_symtab *symtab = &set->box->symtab;
  bool with_file = set->static_files && symtab->flags[function] & GP_STATIC;
  if (!set->sources && !with_file) return;
  const gp_symbol_sources *sources =
      set->sources ? gp_sources_of_symbols(L, set->box)
                   : gp_static_files(L, set->profile, set->box, function);
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

static void add_function(lua_State *L, builder *m, const gp_labels *set,
                         uint32_t function) {
  add_name(m, name_of(L, set, function));
  add_source(L, m, set, function);
  if (!set->suffix || !set->suffix[function]) return;
  end_numbers(m);
  add_name(m, set->suffix[function]);
}

static void check_open(lua_State *L, const void *profile) { gp_open_profile(L, profile); }

/* Makes the label of the function or cycle with number `id`, counted from 1; a Lua error
 * if it does not exist. The profile is open afterwards. */
static void make_label(lua_State *L, const gp_labels *set, lua_Integer id,
                       gp_label *label) {
  const gp_callgraph *graph = &gp_open_profile(L, set->profile)->graph;
  if (id < 1 || (lua_Unsigned)id > graph->functions + graph->cycles)
    luaL_error(L, "no function or cycle with this number");
  uint32_t node = (uint32_t)(id - 1), first_cycle = (uint32_t)graph->functions;
  builder m = {label, label->numbers, label->numbers};
  label->count = 0;
  label->owner = set->profile;
  label->check = check_open;
  bool is_function = node < first_cycle;
  label->form = is_function && !set->linker_names ? set->form : GP_COMPLETE;
  label->width = is_function ? set->width : 0;
  label->mark = set->mark;
  label->shown = is_function && set->shown ? &set->shown[node] : NULL;
  if (is_function)
    add_function(L, &m, set, node);
  else
    add_number(&m, "<cycle ", node - first_cycle + 1, ">");
  graph = &gp_open_profile(L, set->profile)->graph;  /* names can run Lua code */
  if (set->references) {
    uint32_t cycle = is_function ? graph->cycle[node] : GP_NONE;
    if (cycle != GP_NONE) add_number(&m, " <cycle ", cycle - first_cycle + 1, ">");
    add_text(&m, " ");
    /* the number in the call graph: [7], or (7) if the entry is not printed */
    bool printed = graph->printed[node] && graph->rank[node] <= set->last_entry;
    add_number(&m, printed ? "[" : "(", graph->rank[node], printed ? "]" : ")");
  }
  end_numbers(&m);
}

/* Longer labels are not cached. */
enum { SHORT_LABEL = 64 };  /* bytes */

/* Joins the parts of a short label in the cache. Returns the text after its length; NULL
 * if the label is long, or if there is no memory. */
static const char *cache_label(label_cache *cache, uint32_t node, const gp_label *label) {
  char text[SHORT_LABEL + 1];
  uint32_t length = 0;
  for (int i = 0; i < label->count; i++) {
    size_t more = strlen(label->part[i]);
    if (more > SHORT_LABEL - length) return NULL;
    memcpy(text + length, label->part[i], more);
    length += (uint32_t)more;
  }
  text[length] = '\0';
  char *cached = gp_text_store_room(&cache->store, sizeof length + length + 1);
  if (!cached) return NULL;
  memcpy(cached, &length, sizeof length);
  memcpy(cached + sizeof length, text, length + 1);
  return cache->text[node] = cached;
}

/* Whether a label is worth caching: it is requested once per arc of its node. */
static bool is_frequent(const gp_callgraph *graph, uint32_t node) {
  enum { FEW_ARCS = 3 };
  if (node >= graph->functions) return false;
  const uint32_t *callers = graph->callers.start + node;
  const uint32_t *callees = graph->callees.start + node;
  return callers[1] - callers[0] + (callees[1] - callees[0]) > FEW_ARCS;
}

gp_field_value gp_label_of_node(lua_State *L, const gp_labels *set, uint32_t node,
                                gp_label *label) {
  uint32_t length;
  const char *cached = set->cache ? set->cache->text[node] : NULL;
  if (!cached) {
    make_label(L, set, (lua_Integer)node + 1, label);
    if (set->cache && is_frequent(&gp_open_profile(L, set->profile)->graph, node))
      cached = cache_label(set->cache, node, label);
    if (!cached) return gp_label_value(label);
  }
  memcpy(&length, cached, sizeof length);
  return gp_bytes_value(cached + sizeof length, length);
}

void gp_prefetch_labels(const gp_labels *set, const uint32_t *nodes, size_t count) {
  if (!set->cache) return;
  const char **text = set->cache->text;
  for (size_t i = 0; i < count; i++) __builtin_prefetch(&text[nodes[i]]);
  for (size_t i = 0; i < count; i++)
    if (text[nodes[i]]) __builtin_prefetch(text[nodes[i]]);
}

/* labels[number] */
static int get_label(lua_State *L) {
  const gp_labels *set = luaL_checkudata(L, 1, GP_LABELS);
  gp_label label;
  make_label(L, set, luaL_checkinteger(L, 2), &label);
  gp_push_label(L, &label, SIZE_MAX);
  return 1;
}

/* labels(number, columns) -> the label, with a name that is shortened to fit */
static int get_fitting_label(lua_State *L) {
  const gp_labels *set = luaL_checkudata(L, 1, GP_LABELS);
  lua_Integer columns = luaL_checkinteger(L, 3);
  gp_label label;
  make_label(L, set, luaL_checkinteger(L, 2), &label);
  for (int i = 1; i < label.count; i++)
    columns -= (lua_Integer)gp_utf8_width(label.part[i], strlen(label.part[i]));
  gp_push_label(L, &label, columns > 0 ? (size_t)columns : 0);
  return 1;
}

void gp_define_labels(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__index", get_label}, {"__call", get_fitting_label}, {"__gc", release},
      {NULL, NULL}};
  static const luaL_Reg functions[] = {{"labels", new_labels}, {NULL, NULL}};
  luaL_newmetatable(L, GP_LABELS);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
