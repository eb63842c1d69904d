/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the rows of the flat profile: functions, by default sorted by their time. */
#include "base/array.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/report.h"

/* Stack indices of fields of the look (see report.h): `labels`, and the formats `called`
 * and `other`, for functions with and without recorded calls. Formats refer to these
 * values by position: percentage, cumulative seconds, seconds, calls, time per call, time
 * per call with callees, label, sampling error of the seconds, lower and upper bound of
 * the seconds with callees, mark of bounds that are far apart. Times per call are
 * multiplied by look.scale: 1000 for milliseconds. */
enum { LABELS = GP_REPORT_OWN, CALLED, OTHER };

/* A flat profile being written. */
typedef struct page {
  gp_report r;
  const gp_labels *labels;
  double scale;
  double total;           /* ticks that count as 100 % */
} page;

enum { VALUES = 11 };     /* of a row */

/* Writes the row of a function. `cumulative` is the sum of the ticks of this function and
 * all functions above it. */
static void write_function(const page *p, uint32_t function, double cumulative) {
  const gp_profile *profile = gp_report_profile(&p->r);
  const gp_callgraph *graph = &profile->graph;
  double rate = profile->samples.rate, calls = (double)graph->calls[function];
  double ticks = graph->self[function], both = ticks + graph->children[function];
  const gp_shade s = {100 * ticks / p->total, ticks != 0 || calls != 0, false};
  gp_label label;
  const gp_field_value values[] = {
      gp_number_value(s.percent),
      gp_number_value(cumulative / rate),
      gp_number_value(ticks / rate),
      gp_integer_value(graph->calls[function]),
      gp_number_value(p->scale * ticks / rate / calls),
      gp_number_value(p->scale * both / rate / calls),
      gp_report_label(&p->r, p->labels, function, &label),
      gp_number_value(gp_profile_error(profile, ticks)),
      gp_report_bound(&p->r, profile->bounds.low, function),
      gp_report_bound(&p->r, profile->bounds.high, function),
      gp_report_bounds_mark(&p->r, function),
  };
  gp_write_painted(&p->r, calls != 0 ? CALLED : OTHER, &s, values, VALUES, p->labels);
}

static bool has_row(const page *p, const gp_profile *profile, uint32_t function) {
  const gp_callgraph *graph = &profile->graph;
  if (!gp_is_selected(&profile->selections.of[GP_FLAT], function)) return false;
  if (profile->symtab->flags[function] & GP_CALLERS) return false;  /* not code */
  return p->r.unused || graph->self[function] != 0 || graph->calls[function] != 0;
}

/* Fills the rows from look.order, an array of function numbers; without it, in the order
 * of the flat profile. */
static void order_rows(page *p, const gp_callgraph *graph) {
  lua_State *L = p->r.L;
  gp_rows *rows = p->r.rows;
  if (lua_getfield(L, GP_REPORT_LOOK, "order") == LUA_TTABLE) {
    rows->count = lua_rawlen(L, -1);
    rows->row = gp_column(rows->count, sizeof *rows->row);
    for (size_t i = 0; rows->row && i < rows->count; i++) {
      lua_rawgeti(L, -1, (lua_Integer)i + 1);
      lua_Integer id = lua_tointeger(L, -1);
      if (id < 1 || (lua_Unsigned)id > graph->functions)
        luaL_error(L, "look.order: no function with this number");
      rows->row[i] = (uint32_t)(id - 1);
      lua_pop(L, 1);
    }
  } else {
    rows->row = gp_order_functions(graph, GP_BY_SELF, &rows->count);
  }
  lua_pop(L, 1);
  if (!rows->row) gp_raise_no_memory(L);
}

/* write_flat(stream, profile, look) */
static int write_flat(lua_State *L) {
  page p = {.r = gp_open_report(L)};
  p.labels = gp_push_look_labels(&p.r, "labels");
  gp_push_look(&p.r, "called");
  gp_push_look(&p.r, "other");
  lua_getfield(L, GP_REPORT_LOOK, "scale");
  p.scale = luaL_checknumber(L, -1);
  const gp_profile *profile = gp_report_profile(&p.r);
  /* 1 avoids dividing by zero: without ticks, all percentages are 0 */
  p.total = profile->samples.total > 0 ? profile->samples.total : 1;
  const gp_rows *rows = p.r.rows;
  order_rows(&p, &profile->graph);
  double cumulative = 0;
  for (size_t i = 0, written = 0; i < rows->count && written < p.r.top; i++) {
    profile = gp_report_profile(&p.r);
    if (!has_row(&p, profile, rows->row[i])) continue;
    cumulative += profile->graph.self[rows->row[i]];
    write_function(&p, rows->row[i], cumulative);
    written++;
  }
  return 0;
}

/* longest_call(profile) -> the highest number of ticks per call, callees included, of the
 * functions in the flat profile; 0 if none was called. See the policy selected_total. */
static int longest_call(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  const gp_callgraph *graph = &profile->graph;
  const gp_selection *flat = &profile->selections.of[GP_FLAT];
  bool only_selected = profile->symtab->policy->selected_total;
  double longest = 0;
  for (uint32_t f = 0; f < graph->functions; f++) {
    double calls = (double)graph->calls[f];
    if (only_selected && !gp_is_selected(flat, f)) continue;
    if (calls == 0 || gp_symtab_owner(graph->symtab, f) != f) continue;
    double ticks = (graph->self[f] + graph->children[f]) / calls;
    if (ticks > longest) longest = ticks;
  }
  lua_pushnumber(L, longest);
  return 1;
}

void gp_define_flat(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"write_flat", write_flat}, {"longest_call", longest_call}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
