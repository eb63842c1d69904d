/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of the call graph: functions with their callers and callees, and cycles. */
#include <stdio.h>

#include "lua/memory.h"
#include "lua/module.h"
#include "lua/report.h"

/* What is taken from the look: `labels`, and lines by the names below. They are formats,
 * of values by place,
 * - of the line that an entry is about, if the function calls itself, if others call it,
 *   and if nobody is known to: index, percentage, seconds, seconds of its callees, calls,
 *   calls of itself, label;
 * - of a caller or a callee, and of one that is the function itself or in the same cycle:
 *   label, nothing, seconds, seconds of callees, calls, calls of the callee in all;
 * - of a member of a cycle, and of one that calls itself: label, calls of itself,
 *   seconds, seconds of callees, calls.
 * Then come what there is in place of callers, and the end of an entry. */
enum { LABELS = GP_REPORT_OWN, RECURSIVE, CALLED, OTHER, ARC, INNER_ARC, MEMBER,
       RECURSIVE_MEMBER, SPONTANEOUS, RULE };

static const char *const lines[] = {
    "recursive", "called", "other", "arc", "inner_arc", "member", "recursive_member",
    "spontaneous", "rule", NULL};

/* What it takes to write entries. */
typedef struct page {
  gp_report r;
  const gp_labels *labels;
} page;

static const gp_callgraph *graph_of(const page *p) {
  return &gp_report_profile(&p->r)->graph;
}

static gp_field_value seconds(const page *p, double ticks) {
  return gp_number_value(gp_report_seconds(&p->r, ticks));
}

/* --- lines ------------------------------------------------------------------- */

/* The line of a caller, a callee or a member, whose values 3 to 5 are seconds,
 * and calls. */
static void write_inner(const page *p, int format, const gp_field_value *values,
                        int count) {
  double time = values[2].as.number + values[3].as.number;
  const gp_shade s = {100 * time / gp_report_seconds(&p->r, graph_of(p)->total),
                      time != 0 || values[4].as.integer != 0, false};
  gp_write_painted(&p->r, format, &s, values, count, p->labels);
}

static void write_arc(const page *p, uint32_t arc, const uint32_t *end) {
  const gp_callgraph *graph = graph_of(p);
  gp_arc_time time = gp_propagated(graph, arc);
  gp_label made;
  const gp_field_value values[] = {
      gp_report_label(&p->r, p->labels, end[arc], &made),
      gp_no_value,
      seconds(p, time.self),
      seconds(p, time.children),
      gp_integer_value(graph->count[arc]),
      gp_integer_value(gp_callgraph_calls_of_callee(graph, arc)),
  };
  write_inner(p, gp_callgraph_is_recursive(graph, arc) ? INNER_ARC : ARC, values, 6);
}

static void write_member(const page *p, uint32_t member) {
  const gp_callgraph *graph = graph_of(p);
  gp_label made;
  const gp_field_value values[] = {
      gp_report_label(&p->r, p->labels, member, &made),
      gp_integer_value(graph->self_calls[member]),
      seconds(p, graph->shown_self[member]),
      seconds(p, graph->shown_children[member]),
      gp_integer_value(graph->calls[member]),
  };
  write_inner(p, graph->self_calls[member] != 0 ? RECURSIVE_MEMBER : MEMBER, values, 5);
}

static void write_primary(const page *p, uint32_t node, const gp_label *made) {
  const gp_callgraph *graph = graph_of(p);
  uint64_t calls = graph->calls[node], self_calls = graph->self_calls[node];
  char index[32];
  snprintf(index, sizeof index, "[%u]", (unsigned)graph->rank[node]);
  const gp_shade s = {gp_callgraph_percent(graph, node),
                      gp_callgraph_is_used(graph, node), true};
  const gp_field_value values[] = {
      gp_text_value(index),
      gp_number_value(s.percent),
      seconds(p, graph->shown_self[node]),
      seconds(p, graph->shown_children[node]),
      gp_integer_value(calls),
      gp_integer_value(self_calls),
      gp_label_value(made),
  };
  int format = self_calls != 0 ? RECURSIVE : calls != 0 ? CALLED : OTHER;
  gp_write_painted(&p->r, format, &s, values, 7, p->labels);
}

/* --- entries ----------------------------------------------------------------- */

static void label_of_cycle(const gp_callgraph *graph, uint32_t cycle, gp_label *made) {
  snprintf(made->numbers, sizeof made->numbers, "<cycle %u as a whole> [%u]",
           (unsigned)(cycle - graph->functions + 1), (unsigned)graph->rank[cycle]);
  made->part[0] = made->numbers;
  made->width = 0;
  made->count = 1;
}

static void write_arcs(const page *p, bool ordered, bool callers) {
  const gp_rows *rows = p->r.rows;
  if (!ordered) gp_raise_no_memory(p->r.L);
  for (size_t i = 0; i < rows->count; i++) {
    const gp_callgraph *graph = graph_of(p);
    write_arc(p, rows->row[i], callers ? graph->caller : graph->callee);
  }
}

static void write_function(const page *p, uint32_t function) {
  gp_label made;
  write_arcs(p, gp_order_callers(graph_of(p), function, p->r.rows), true);
  if (p->r.rows->count == 0)
    gp_write_string(p->r.L, GP_REPORT_STREAM, p->r.s, SPONTANEOUS);
  gp_make_label(p->r.L, p->labels, (lua_Integer)function + 1, &made);
  write_primary(p, function, &made);
  write_arcs(p, gp_order_callees(graph_of(p), function, p->r.rows), false);
}

static void write_cycle(const page *p, uint32_t cycle) {
  const gp_rows *rows = p->r.rows;
  gp_label made;
  label_of_cycle(graph_of(p), cycle, &made);
  write_primary(p, cycle, &made);
  if (!gp_order_members(graph_of(p), cycle, p->r.rows)) gp_raise_no_memory(p->r.L);
  for (size_t i = 0; i < rows->count; i++) write_member(p, rows->row[i]);
}

static void write_entry(const page *p, uint32_t node) {
  if (node < graph_of(p)->functions)
    write_function(p, node);
  else
    write_cycle(p, node);
  gp_write_string(p->r.L, GP_REPORT_STREAM, p->r.s, RULE);
}

/* write_entries(stream, profile, look) */
static int write_entries(lua_State *L) {
  page p = {.r = gp_open_report(L)};
  p.labels = gp_push_look_labels(&p.r, "labels");
  for (const char *const *line = lines; *line; line++) gp_push_look(&p.r, *line);
  size_t nodes = graph_of(&p)->functions + graph_of(&p)->cycles;
  for (size_t i = 0, written = 0; i < nodes && written < p.r.top; i++) {
    const gp_callgraph *graph = graph_of(&p);
    if (!gp_report_has_entry(&p.r, graph, graph->entries[i])) continue;
    write_entry(&p, graph->entries[i]);
    written++;
  }
  return 0;
}

void gp_define_entries(lua_State *L) {
  static const luaL_Reg functions[] = {{"write_entries", write_entries}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
