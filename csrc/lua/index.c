/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the index of the call graph: functions sorted by name, then cycles, in columns
 * that are read from top to bottom. */
#include <string.h>

#include "base/array.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/report.h"

/* Stack indices of three fields of the look (see report.h): the labels `numbered`, the
 * labels `names`, and the format `cell`. `cell` formats the numbered label, the number
 * alone, and the name. The field `width` is the width of a column; if it is nil, cells
 * are not aligned. If any label is longer than the field `longest`, there is only one
 * column; nil means no limit. */
enum { NUMBERED = GP_REPORT_OWN, NAMES, CELL };

/* An index being written. */
typedef struct page {
  gp_report r;
  const gp_labels *numbered, *names;
  bool has_names;         /* cells show the name without the number, too */
  bool aligned;           /* align cells in columns */
  size_t width;           /* width of a column, in characters */
  size_t columns;
} page;

enum { MOST_COLUMNS = 3, MAX_WIDTH = 1000000 };

static const gp_callgraph *graph_of(const page *p) {
  return &gp_report_profile(&p->r)->graph;
}

/* Returns the index number of the last entry within the limit `top`; UINT32_MAX if the
 * limit excludes no entry. */
static uint32_t last_entry(const page *p, const gp_callgraph *graph) {
  size_t nodes = graph->functions + graph->cycles, entries = 0;
  uint32_t last = 0;
  if (p->r.top == SIZE_MAX) return UINT32_MAX;
  for (size_t i = 0; i < nodes; i++) {
    if (!gp_report_has_entry(&p->r, graph, graph->entries[i])) continue;
    if (entries++ == p->r.top) return last;
    last = graph->rank[graph->entries[i]];
  }
  return UINT32_MAX;
}

/* Whether a node is listed. If `top` limits the entries, only nodes with an entry within
 * the limit are listed. Otherwise functions without calls and time are left out, unless
 * look.unused is set. */
static bool is_listed(const page *p, const gp_callgraph *graph, uint32_t node,
                      uint32_t last) {
  if (last != UINT32_MAX)
    return graph->rank[node] <= last && gp_report_has_entry(&p->r, graph, node);
  return p->r.unused || node >= graph->functions || graph->calls[node] != 0 ||
         graph->self[node] != 0 || gp_callgraph_is_outside(graph, node);
}

/* Collects the rows to list: functions sorted by name, then cycles. */
static void collect(const page *p) {
  const gp_callgraph *graph = graph_of(p);
  gp_rows *rows = p->r.rows;
  rows->row = gp_order_functions(graph, GP_BY_NAME, &rows->count);
  if (!rows->row) gp_raise_no_memory(p->r.L);
  uint32_t last = last_entry(p, graph);
  size_t listed = 0;
  for (size_t i = 0; i < rows->count; i++)
    if (is_listed(p, graph, rows->row[i], last)) rows->row[listed++] = rows->row[i];
  rows->count = rows->capacity = listed;
  for (uint32_t cycle = 0; cycle < graph->cycles; cycle++) {
    if (!is_listed(p, graph, (uint32_t)graph->functions + cycle, last)) continue;
    if (!GP_RESERVE(&rows->capacity, rows->count + 1, GP_COLUMN(rows->row)))
      gp_raise_no_memory(p->r.L);
    rows->row[rows->count++] = (uint32_t)graph->functions + cycle;
  }
}

static void write_blanks(const page *p, size_t count) {
  static const char blanks[] =
      "                                                                ";
  const size_t chunk = sizeof blanks - 1;
  for (; count > chunk; count -= chunk)
    gp_write_bytes(p->r.L, GP_REPORT_STREAM, p->r.s, blanks, chunk);
  gp_write_bytes(p->r.L, GP_REPORT_STREAM, p->r.s, blanks, count);
}

static size_t length_of(const gp_label *label) {
  size_t length = 0;
  for (int i = 0; i < label->count; i++) length += strlen(label->part[i]);
  return length;
}

/* Writes the blanks before a cell, and returns where its text ends. The cell begins at
 * its column, or at `at`, the end of the previous cell's text, if that text is too long.
 * Numbers are right-aligned in five characters, but the blanks around them are not
 * counted, so columns drift as they do in GNU gprof's index. */
static size_t write_gap(const page *p, size_t column, const gp_label *text, size_t at) {
  enum { NUMBER_WIDTH = 5 };
  size_t number = strcspn(text->numbers, " ");
  size_t wanted = column * p->width + NUMBER_WIDTH, taken = at + number;
  size_t fill = wanted > taken ? wanted - taken : 0;
  size_t end = at + fill + length_of(text) - 1;
  write_blanks(p, fill + 1);
  return end;
}

/* Returns the colour of a cell: the colour of its entry, or the colour of idle functions
 * if the node has neither calls nor time. A node whose time is excluded from the graph is
 * not idle. */
static gp_shade shade_of(const gp_callgraph *graph, uint32_t node) {
  bool used = graph->calls[node] != 0 || graph->self_calls[node] != 0 ||
              graph->self[node] != 0 || graph->children[node] != 0;
  return (gp_shade){gp_callgraph_percent(graph, node), used, false};
}

/* Writes a cell. Returns the column at which the text of the row ends, counted as GNU
 * gprof does. */
static size_t write_cell(const page *p, size_t column, uint32_t node, size_t at) {
  gp_label numbered, name;
  gp_field_value text = gp_report_label(&p->r, p->numbered, node, &numbered);
  if (p->aligned) at = write_gap(p, column, &numbered, at);
  const gp_field_value values[] = {
      text, gp_bytes_value(numbered.numbers, (uint32_t)strcspn(numbered.numbers, " ")),
      p->has_names ? gp_report_label(&p->r, p->names, node, &name) : gp_no_value};
  const gp_shade s = shade_of(graph_of(p), node);
  gp_write_painted(&p->r, CELL, &s, values, 3, p->numbered);
  return at;
}

/* Whether a label is longer than `limit`. */
static bool has_longer(const page *p, size_t limit) {
  gp_label label;
  for (size_t i = 0; i < p->r.rows->count; i++) {
    gp_report_label(&p->r, p->names, p->r.rows->row[i], &label);
    if (length_of(&label) > limit) return true;
  }
  return false;
}

static size_t columns_of(const page *p) {
  lua_State *L = p->r.L;
  bool limited = lua_getfield(L, GP_REPORT_LOOK, "longest") != LUA_TNIL;
  lua_Integer longest = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return limited && has_longer(p, longest > 0 ? (size_t)longest : 0) ? 1 : MOST_COLUMNS;
}

static void write_cells(const page *p) {
  size_t lines = (p->r.rows->count + p->columns - 1) / p->columns;
  for (size_t line = 0; line < lines; line++) {
    size_t at = 0, column = 0;
    for (size_t i = line; i < p->r.rows->count; i += lines)
      at = write_cell(p, column++, p->r.rows->row[i], at);
    gp_write_bytes(p->r.L, GP_REPORT_STREAM, p->r.s, "\n", 1);
  }
}

/* write_index(stream, profile, look) */
static int write_index(lua_State *L) {
  page p = {.r = gp_open_report(L)};
  p.numbered = gp_push_look_labels(&p.r, "numbered");
  p.names = gp_push_look_labels(&p.r, "names");
  gp_push_look(&p.r, "cell");
  p.has_names = strstr(lua_tostring(L, CELL), "%3$") != NULL;
  p.aligned = lua_getfield(L, GP_REPORT_LOOK, "width") != LUA_TNIL;
  lua_Integer width = lua_tointeger(L, -1);
  if (width < 0 || width > MAX_WIDTH)
    luaL_error(L, "look.width: must be from 0 to %d", MAX_WIDTH);
  p.width = (size_t)width;
  collect(&p);
  p.columns = columns_of(&p);
  write_cells(&p);
  return 0;
}

void gp_define_index(lua_State *L) {
  static const luaL_Reg functions[] = {{"write_index", write_index}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
