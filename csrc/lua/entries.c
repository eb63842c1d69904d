/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes call graph entries: functions with their callers and callees, and cycles. */
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/report.h"

/* Stack indices of fields of the look (see report.h): `labels`, then formats of lines. A
 * format refers to values by position. The kinds of lines and their values are:
 * - the primary line, which is `recursive` for a function that calls itself, `called` for
 *   another called function or a cycle, and else `other`: index, percentage, seconds,
 *   seconds in callees, calls, calls to itself, label, lower and upper bound of the
 *   seconds with callees, mark of bounds that are far apart;
 * - a caller or callee, which is `inner_arc` for a call to itself or within a cycle,
 *   `uncounted_arc` if the callee's calls were not counted, as in libraries, and else
 *   `arc`; or `inlined_inner_arc` and `inlined_arc` if the callee was only inlined:
 *   label, nil, seconds, seconds in callees, calls, calls of the callee from all callers;
 * - a member of a cycle, which is `recursive_member` if it calls itself, and else
 *   `member`: label, calls to itself, seconds, seconds in callees, calls.
 *
 * `spontaneous` (printed if there are no callers) and `rule` (ends an entry) take no
 * values. */
enum { LABELS = GP_REPORT_OWN, RECURSIVE, CALLED, OTHER, ARC, INNER_ARC, UNCOUNTED_ARC,
       INLINED_ARC, INLINED_INNER_ARC, MEMBER, RECURSIVE_MEMBER, SPONTANEOUS, RULE };

static const char *const lines[] = {
    "recursive", "called", "other", "arc", "inner_arc", "uncounted_arc", "inlined_arc",
    "inlined_inner_arc", "member", "recursive_member", "spontaneous", "rule", NULL};

/* A call graph being written. */
typedef struct page {
  gp_report r;
  const gp_labels *labels;
} page;

static const gp_callgraph *graph_of(const page *p) {
  return &gp_report_profile(&p->r)->graph;
}

static gp_field_value seconds(const gp_profile *profile, double ticks) {
  return gp_number_value(gp_profile_seconds(profile, ticks));
}

/* --- lines ------------------------------------------------------------------- */

/* Returns what determines the colour of the line of a caller, callee or member: values 3
 * to 5 must be seconds, seconds in callees, and calls. */
static gp_shade shade_of(const gp_profile *profile, const gp_field_value *values) {
  double time = values[2].as.number + values[3].as.number;
  return (gp_shade){100 * time / gp_profile_seconds(profile, profile->graph.total),
                    time != 0 || values[4].as.integer != 0, false};
}

/* Writes the line of a caller, callee or member. */
static void write_inner(const page *p, const gp_profile *profile, int format,
                        const gp_field_value *values, int count) {
  gp_shade s = {0};
  if (p->r.painted) s = shade_of(profile, values);
  gp_write_painted(&p->r, format, &s, values, count, p->labels);
}

/* A callee without counted calls has time only if call paths show it. Arcs of call paths
 * may also have neither; otherwise such an arc is a call in the machine code. */
static int format_of(const gp_callgraph *graph, uint32_t arc, const gp_arc_time *time,
                     bool is_counted) {
  bool is_timed = time->self + time->children > 0;  /* then it is not recursive */
  bool is_inner = !is_timed && gp_callgraph_is_recursive(graph, arc);
  /* the count first: it is in the cache, since the list was sorted by it */
  if (graph->count[arc] == 0 && graph->inlined[arc])
    return is_inner ? INLINED_INNER_ARC : INLINED_ARC;
  if (is_inner) return INNER_ARC;
  bool may_be_static = graph->has_static || !graph->arc_self;
  bool is_static = !is_timed && may_be_static;
  return is_counted || is_static ? ARC : UNCOUNTED_ARC;
}

/* Writes the line of an arc, row `i` of the list of callers or callees. `end` is the
 * function at its other end. */
static void write_arc(const page *p, size_t i, uint32_t end) {
  gp_arc_time time = p->r.rows->time[i];
  uint32_t arc = p->r.rows->row[i];
  gp_label room;
  gp_field_value label = gp_report_label(&p->r, p->labels, end, &room);
  const gp_profile *profile = gp_report_profile(&p->r);
  const gp_callgraph *graph = &profile->graph;
  uint64_t all_calls = gp_callgraph_calls_of_callee(graph, arc);
  const gp_field_value values[] = {
      label,
      gp_no_value,
      seconds(profile, time.self),
      seconds(profile, time.children),
      gp_integer_value(graph->count[arc]),
      gp_integer_value(all_calls),
  };
  write_inner(p, profile, format_of(graph, arc, &time, all_calls != 0), values, 6);
}

static void write_member(const page *p, uint32_t member) {
  gp_label room;
  gp_field_value label = gp_report_label(&p->r, p->labels, member, &room);
  const gp_profile *profile = gp_report_profile(&p->r);
  const gp_callgraph *graph = &profile->graph;
  const gp_field_value values[] = {
      label,
      gp_integer_value(graph->self_calls[member]),
      seconds(profile, graph->shown_self[member]),
      seconds(profile, graph->shown_children[member]),
      gp_integer_value(graph->calls[member]),
  };
  write_inner(p, profile, graph->self_calls[member] != 0 ? RECURSIVE_MEMBER : MEMBER,
              values, 5);
}

static void write_primary(const page *p, uint32_t node, gp_field_value label) {
  const gp_profile *profile = gp_report_profile(&p->r);
  const gp_time_bounds *bounds = &profile->bounds;
  const gp_callgraph *graph = &profile->graph;
  uint64_t calls = graph->calls[node], self_calls = graph->self_calls[node];
  const gp_column_style plain = {.precision = -1};
  char index[GP_COLUMNS_NUMBER + 3] = "[";
  memcpy(gp_columns_integer(index + 1, graph->rank[node], plain), "]", 2);
  const gp_shade s = {gp_callgraph_percent(graph, node),
                      gp_callgraph_is_used(graph, node), true};
  const gp_field_value values[] = {
      gp_text_value(index),
      gp_number_value(s.percent),
      seconds(profile, graph->shown_self[node]),
      seconds(profile, graph->shown_children[node]),
      gp_integer_value(calls),
      gp_integer_value(self_calls),
      label,
      gp_report_bound(&p->r, bounds->low, node),
      gp_report_bound(&p->r, bounds->high, node),
      gp_report_bounds_mark(&p->r, node),
  };
  bool called = calls != 0 || node >= graph->functions;  /* cycles show 0 calls, too */
  int format = self_calls != 0 ? RECURSIVE : called ? CALLED : OTHER;
  gp_write_painted(&p->r, format, &s, values, 10, p->labels);
}

/* --- entries ----------------------------------------------------------------- */

static void label_cycle(const gp_callgraph *graph, uint32_t cycle, gp_label *label) {
  snprintf(label->numbers, sizeof label->numbers, "<cycle %u as a whole> [%u]",
           (unsigned)(cycle - graph->functions + 1), (unsigned)graph->rank[cycle]);
  label->part[0] = label->numbers;
  label->count = 1;
  label->name = 0;
  label->form = GP_COMPLETE;
  label->width = 0;
  label->mark = "";
  label->kept = NULL;
}

static void write_arcs(const page *p, bool ordered, bool callers) {
  enum { SOME = 16 };
  uint32_t ends[SOME];
  const gp_rows *rows = p->r.rows;
  if (!ordered) gp_raise_no_memory(p->r.L);
  for (size_t first = 0, count; first < rows->count; first += count) {
    const gp_callgraph *graph = graph_of(p);
    const uint32_t *end = callers ? graph->caller : graph->callee;
    count = rows->count - first < SOME ? rows->count - first : SOME;
    for (size_t i = 0; i < count; i++) {
      ends[i] = end[rows->row[first + i]];
      if (callers) continue;  /* the callee is the function of the entry */
      __builtin_prefetch(&graph->cycle[ends[i]]);
      __builtin_prefetch(&graph->calls[ends[i]]);
    }
    gp_prefetch_labels(p->labels, ends, count);
    for (size_t i = 0; i < count; i++) write_arc(p, first + i, ends[i]);
  }
}

static void write_function(const page *p, uint32_t function) {
  gp_label room;
  write_arcs(p, gp_order_callers(graph_of(p), function, p->r.rows), true);
  if (p->r.rows->count == 0)
    gp_write_string(p->r.L, GP_REPORT_STREAM, p->r.s, SPONTANEOUS);
  write_primary(p, function, gp_report_label(&p->r, p->labels, function, &room));
  write_arcs(p, gp_order_callees(graph_of(p), function, p->r.rows), false);
}

static void write_cycle(const page *p, uint32_t cycle) {
  const gp_rows *rows = p->r.rows;
  gp_label label;
  label_cycle(graph_of(p), cycle, &label);
  write_primary(p, cycle, gp_label_value(&label));
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
    gp_order_prefetch_entries(graph, i);
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
