/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The index of the call graph, written to a stream: functions by name in columns, from top to
 * bottom, and then the cycles.
 *
 * What a cell looks like is said by Lua.
 */
#include <string.h>

#include "array.h"
#include "stream.h"

/* write_index(stream, profile, look): where these are, and what is put behind them: what is
 * in the look, the last format that was coloured, and room for the functions */
enum { STREAM = 1, PROFILE, LOOK, NUMBERED, NAMES, CELL, PAINT, PAINTED, ROWS };

/* What it takes to write cells. */
typedef struct page {
  lua_State *L;
  stream *s;
  const profile_box *box;
  const labels *numbered, *names;
  bool aligned;           /* cells begin at columns of that */
  size_t width;           /*   many characters */
  bool unused;            /* functions of which nothing was seen, too */
  gp_rows *rows;
} page;

enum { COLUMNS = 3 };

/* The graph: whatever was called meanwhile, it is there, or that is a Lua error. */
static const gp_graph *graph_of(const page *p) { return &open_profile(p->L, p->box)->graph; }

/* The functions by name, as far as anything was seen of them, and then the cycles. */
static void collect(const page *p) {
  const gp_graph *graph = graph_of(p);
  gp_rows *rows = p->rows;
  rows->row = gp_order_functions(graph, GP_BY_NAME, &rows->count);
  if (!rows->row) raise_no_memory(p->L);
  size_t kept = 0;
  for (size_t i = 0; i < rows->count; i++) {
    uint32_t function = rows->row[i];
    if (p->unused || graph->calls[function] != 0 || graph->self[function] != 0)
      rows->row[kept++] = function;
  }
  rows->count = rows->capacity = kept;
  for (uint32_t cycle = 0; cycle < graph->cycles; cycle++) {
    if (!gp_make_room(&rows->row, &rows->capacity, rows->count, sizeof *rows->row))
      raise_no_memory(p->L);
    rows->row[rows->count++] = (uint32_t)graph->functions + cycle;
  }
}

/* The format of a cell, which is coloured if there are colours. */
static int paint(const page *p, uint32_t node) {
  lua_State *L = p->L;
  if (lua_isnil(L, PAINT)) return CELL;
  lua_pushvalue(L, PAINT);
  lua_pushvalue(L, CELL);
  lua_pushinteger(L, (lua_Integer)node + 1);
  lua_call(L, 2, 1);
  lua_replace(L, PAINTED);
  luaL_checkstring(L, PAINTED);
  return PAINTED;
}

static void write_blanks(const page *p, size_t count) {
  static const char blanks[] = "                                                                ";
  const size_t most = sizeof blanks - 1;
  for (; count > most; count -= most) write_bytes(p->L, STREAM, p->s, blanks, most);
  write_bytes(p->L, STREAM, p->s, blanks, count);
}

static size_t length_of(const label *made) {
  size_t length = 0;
  for (int i = 0; i < made->count; i++) length += strlen(made->part[i]);
  return length;
}

/* The blanks before a cell. It begins at its column, but never before the text to its left
 * has ended, `at`. The blanks around a number, which is set to the right within five
 * characters, are not counted, so columns drift: as in GNU gprof's index. */
static size_t write_gap(const page *p, size_t column, const label *text, size_t at) {
  enum { NUMBER_WIDTH = 5 };
  size_t number = strcspn(text->numbers, " ");
  size_t wanted = column * p->width + NUMBER_WIDTH, taken = at + number;
  size_t fill = wanted > taken ? wanted - taken : 0;
  write_blanks(p, fill + 1);
  return at + fill + length_of(text) - 1;
}

/* Returns where the text in the row ends, by GNU gprof's counting. */
static size_t write_cell(const page *p, size_t column, uint32_t node, size_t at) {
  label numbered, name;
  make_label(p->L, p->numbered, (lua_Integer)node + 1, &numbered);
  make_label(p->L, p->names, (lua_Integer)node + 1, &name);
  if (p->aligned) at = write_gap(p, column, &numbered, at);
  char number[32];
  snprintf(number, sizeof number, "%.*s", (int)strcspn(numbered.numbers, " "), numbered.numbers);
  const field_value values[] = {{VALUE_LABEL, {.label = &numbered}},
                                text_value(number),
                                {VALUE_LABEL, {.label = &name}}};
  const row r = {.count = 3, .fields = values, .names = p->numbered};
  write_row(p->L, STREAM, p->s, paint(p, node), &r);
  return at;
}

static void write_cells(const page *p) {
  size_t lines = (p->rows->count + COLUMNS - 1) / COLUMNS;
  for (size_t line = 0; line < lines; line++) {
    size_t at = 0, column = 0;
    for (size_t i = line; i < p->rows->count; i += lines)
      at = write_cell(p, column++, p->rows->row[i], at);
    write_bytes(p->L, STREAM, p->s, "\n", 1);
  }
}

/* write_index(stream, profile, look). The look: `numbered` and `names`, labels; `cell`, the
 * format of a cell: of a numbered label, the number, and a name; `width` of a cell, if cells
 * are to be set beside each other; `unused`; and, if there are colours, `paint`, a function
 * of a format and the number of a function, which returns another format. */
static int write_index(lua_State *L) {
  check_profile(L, PROFILE);
  page p = {.L = L, .s = check_stream(L, STREAM), .box = lua_touserdata(L, PROFILE)};
  lua_settop(L, LOOK);
  lua_getfield(L, LOOK, "numbered");
  lua_getfield(L, LOOK, "names");
  lua_getfield(L, LOOK, "cell");
  lua_getfield(L, LOOK, "paint");
  lua_pushnil(L);  /* at PAINTED */
  p.numbered = test_labels(L, NUMBERED);
  p.names = test_labels(L, NAMES);
  if (!p.numbered || !p.names) luaL_error(L, "look: labels expected");
  luaL_checkstring(L, CELL);
  p.unused = flag_option(L, LOOK, "unused");
  p.aligned = lua_getfield(L, LOOK, "width") != LUA_TNIL;
  p.width = (size_t)luaL_optinteger(L, -1, 0);
  lua_pop(L, 1);
  p.rows = push_row_list(L);
  luaL_checkstack(L, 16, NULL);
  collect(&p);
  write_cells(&p);
  return 0;
}

void define_index(lua_State *L) {
  static const luaL_Reg functions[] = {{"write_index", write_index}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
