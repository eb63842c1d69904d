/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The entries of the call graph, written to a stream.
 *
 * What an entry looks like is said by a table of formats, the look, which is Lua's; which
 * entries there are, and which lines they have, is decided here: most of a large report are
 * lines of entries.
 */
#include <stdio.h>

#include "stream.h"

/* write_entries(stream, profile, look): where these are, and what is put behind them: the
 * labels and texts of the look, what colours lines, the last line that it coloured, and room
 * for rows */
enum {
  STREAM = 1, PROFILE, LOOK,
  LABELS, RECURSIVE, CALLED, OTHER, ARC, INNER_ARC, MEMBER, RECURSIVE_MEMBER, SPONTANEOUS, RULE,
  PAINT, PAINTED, ROWS,
};

/* Names of LABELS to PAINT in the look. The formats, of values by place, are
 * - of the line that an entry is about, if the function calls itself, if others call it, and
 *   if nobody is known to: index, percentage, seconds, seconds of its callees, calls, calls
 *   of itself, label;
 * - of a caller or a callee, and of one that is the function itself or in the same cycle:
 *   label, nothing, seconds, seconds of callees, calls, calls of the callee in all;
 * - of a member of a cycle, and of one that calls itself: label, calls of itself, seconds,
 *   seconds of callees, calls.
 * Then come what there is in place of callers, and the end of an entry; and, if there are
 * colours, a function of a format, a percentage, whether anything was seen of the line, and
 * whether an entry is about it: it returns another format. */
static const char *const names[] = {
    "labels", "recursive",        "called",      "other", "arc", "inner_arc",
    "member", "recursive_member", "spontaneous", "rule",  "paint"};

/* What it takes to write entries. */
typedef struct page {
  lua_State *L;
  stream *s;
  const profile_box *box;
  const labels *labels;
  gp_rows *rows;
  bool unused;            /* entries of what nothing was seen of, too */
} page;

/* The graph: whatever was called meanwhile, it is there, or that is a Lua error. */
static const gp_graph *graph_of(const page *p) { return &open_profile(p->L, p->box)->graph; }

static double seconds(const page *p, double ticks) {
  double rate = p->box->profile->samples.rate;
  return rate != 0 ? ticks / rate : 0;
}

/* --- lines ------------------------------------------------------------------- */

/* What colours go by. */
typedef struct share {
  double percent;
  bool used, primary;
} share;

static int paint(const page *p, int format, const share *of) {
  lua_State *L = p->L;
  if (lua_isnil(L, PAINT)) return format;
  lua_pushvalue(L, PAINT);
  lua_pushvalue(L, format);
  lua_pushnumber(L, of->percent);
  lua_pushboolean(L, of->used);
  lua_pushboolean(L, of->primary);
  lua_call(L, 4, 1);
  lua_replace(L, PAINTED);
  luaL_checkstring(L, PAINTED);
  return PAINTED;
}

static void write_line(const page *p, int format, const field_value *values, int count,
                       const share *of) {
  const row r = {.count = count, .fields = values, .names = p->labels};
  write_row(p->L, STREAM, p->s, paint(p, format, of), &r);
}

/* The line of a caller, a callee or a member, whose values 3 to 5 are seconds, and calls. */
static void write_inner(const page *p, int format, const field_value *values, int count) {
  double time = values[2].as.number + values[3].as.number;
  share of = {100 * time / seconds(p, graph_of(p)->total),
              time != 0 || values[4].as.integer != 0, false};
  write_line(p, format, values, count, &of);
}

static void write_arc(const page *p, uint32_t arc, const uint32_t *end) {
  const gp_graph *graph = graph_of(p);
  gp_arc_time time = gp_propagated(graph, arc);
  bool inner = gp_graph_is_recursive(graph, arc);
  label made;
  make_label(p->L, p->labels, (lua_Integer)end[arc] + 1, &made);
  const field_value values[] = {
      {VALUE_LABEL, {.label = &made}},
      no_value,
      number_value(seconds(p, time.self)),
      number_value(seconds(p, time.children)),
      integer_value(graph->count[arc]),
      integer_value(gp_graph_calls_of_callee(graph, arc)),
  };
  write_inner(p, inner ? INNER_ARC : ARC, values, 6);
}

static void write_member(const page *p, uint32_t member) {
  const gp_graph *graph = graph_of(p);
  label made;
  make_label(p->L, p->labels, (lua_Integer)member + 1, &made);
  const field_value values[] = {
      {VALUE_LABEL, {.label = &made}},
      integer_value(graph->self_calls[member]),
      number_value(seconds(p, graph->shown_self[member])),
      number_value(seconds(p, graph->shown_children[member])),
      integer_value(graph->calls[member]),
  };
  write_inner(p, graph->self_calls[member] != 0 ? RECURSIVE_MEMBER : MEMBER, values, 5);
}

static void write_primary(const page *p, uint32_t node, const label *made) {
  const gp_graph *graph = graph_of(p);
  uint64_t calls = graph->calls[node], self_calls = graph->self_calls[node];
  char index[32];
  snprintf(index, sizeof index, "[%u]", (unsigned)graph->rank[node]);
  share of = {gp_graph_percent(graph, node), gp_graph_is_used(graph, node), true};
  const field_value values[] = {
      text_value(index),
      number_value(of.percent),
      number_value(seconds(p, graph->shown_self[node])),
      number_value(seconds(p, graph->shown_children[node])),
      integer_value(calls),
      integer_value(self_calls),
      {VALUE_LABEL, {.label = made}},
  };
  write_line(p, self_calls != 0 ? RECURSIVE : calls != 0 ? CALLED : OTHER, values, 7, &of);
}

/* --- entries ----------------------------------------------------------------- */

/* Room for a label that is made of numbers only. */
static void label_of_cycle(const gp_graph *graph, uint32_t cycle, label *made) {
  snprintf(made->numbers, sizeof made->numbers, "<cycle %u as a whole> [%u]",
           (unsigned)(cycle - graph->functions + 1), (unsigned)graph->rank[cycle]);
  made->part[0] = made->numbers;
  made->count = 1;
}

static void write_arcs(const page *p, bool ordered, bool callers) {
  if (!ordered) raise_no_memory(p->L);
  for (size_t i = 0; i < p->rows->count; i++) {
    const gp_graph *graph = graph_of(p);
    write_arc(p, p->rows->row[i], callers ? graph->caller : graph->callee);
  }
}

static void write_function(const page *p, uint32_t function) {
  label made;
  write_arcs(p, gp_order_callers(graph_of(p), function, p->rows), true);
  if (p->rows->count == 0) write_string(p->L, STREAM, p->s, SPONTANEOUS);
  make_label(p->L, p->labels, (lua_Integer)function + 1, &made);
  write_primary(p, function, &made);
  write_arcs(p, gp_order_callees(graph_of(p), function, p->rows), false);
}

static void write_cycle(const page *p, uint32_t cycle) {
  label made;
  label_of_cycle(graph_of(p), cycle, &made);
  write_primary(p, cycle, &made);
  if (!gp_order_members(graph_of(p), cycle, p->rows)) raise_no_memory(p->L);
  for (size_t i = 0; i < p->rows->count; i++) write_member(p, p->rows->row[i]);
}

/* Whether a node has an entry. In a profile by line there are none of cycles: lines are no
 * functions that could be in one. */
static bool has_entry(const page *p, const gp_graph *graph, uint32_t node) {
  const gp_symtab *symtab = graph->symtab;
  if (graph->rank[node] == 0 || !graph->printed[node]) return false;
  if (symtab->function && !(node < graph->functions && symtab->flags[node] & GP_FUNCTION))
    return false;
  return p->unused || gp_graph_is_used(graph, node);
}

static void write_entry(const page *p, uint32_t node) {
  if (node < graph_of(p)->functions)
    write_function(p, node);
  else
    write_cycle(p, node);
  write_string(p->L, STREAM, p->s, RULE);
}

/* Puts what the look says where the lines take it from. */
static void spread_look(lua_State *L) {
  lua_settop(L, LOOK);
  luaL_checktype(L, LOOK, LUA_TTABLE);
  for (int i = LABELS; i <= PAINT; i++) {
    const char *name = names[i - LABELS];
    lua_getfield(L, LOOK, name);
    if (i > LABELS && i < PAINT && lua_type(L, i) != LUA_TSTRING)
      luaL_error(L, "look.%s: string expected, got %s", name, luaL_typename(L, i));
  }
  lua_pushnil(L);  /* at PAINTED */
}

/* write_entries(stream, profile, look): look.unused asks for entries of what nothing was
 * seen of */
static int write_entries(lua_State *L) {
  const gp_graph *graph = &check_profile(L, PROFILE)->graph;
  page p = {.L = L, .s = check_stream(L, STREAM), .box = lua_touserdata(L, PROFILE)};
  spread_look(L);
  p.unused = flag_option(L, LOOK, "unused");
  p.labels = test_labels(L, LABELS);
  if (!p.labels) luaL_error(L, "look.labels: labels expected");
  p.rows = push_row_list(L);
  luaL_checkstack(L, 16, NULL);
  size_t nodes = graph->functions + graph->cycles;
  for (size_t i = 0; i < nodes; i++) {
    graph = graph_of(&p);
    if (has_entry(&p, graph, graph->entries[i])) write_entry(&p, graph->entries[i]);
  }
  return 0;
}

void define_entries(lua_State *L) {
  static const luaL_Reg functions[] = {{"write_entries", write_entries}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
