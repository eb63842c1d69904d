/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared code of the report writers. */
#include "lua/arguments.h"
#include "lua/memory.h"
#include "lua/report.h"

gp_report gp_open_report(lua_State *L) {
  gp_check_profile(L, GP_REPORT_PROFILE);
  luaL_checktype(L, GP_REPORT_LOOK, LUA_TTABLE);
  gp_report r = {.L = L, .s = gp_check_stream(L, GP_REPORT_STREAM),
                 .box = lua_touserdata(L, GP_REPORT_PROFILE)};
  lua_settop(L, GP_REPORT_LOOK);
  luaL_checkstack(L, 32, NULL);
  lua_getfield(L, GP_REPORT_LOOK, "paint");
  r.painted = lua_toboolean(L, -1);
  lua_pushnil(L);  /* at GP_REPORT_PAINTED */
  r.rows = gp_push_row_list(L);
  r.unused = gp_flag_option(L, GP_REPORT_LOOK, "unused");
  lua_getfield(L, GP_REPORT_LOOK, "top");
  lua_Integer top = luaL_optinteger(L, -1, -1);
  r.top = top < 0 ? SIZE_MAX : (size_t)top;
  lua_pop(L, 1);
  return r;
}

void gp_push_look(const gp_report *r, const char *name) {
  if (lua_getfield(r->L, GP_REPORT_LOOK, name) != LUA_TSTRING)
    luaL_error(r->L, "look.%s: string expected, got %s", name, luaL_typename(r->L, -1));
}

const gp_labels *gp_push_look_labels(const gp_report *r, const char *name) {
  lua_getfield(r->L, GP_REPORT_LOOK, name);
  const gp_labels *set = gp_test_labels(r->L, -1);
  if (!set)
    luaL_error(r->L, "look.%s: labels expected, got %s", name, luaL_typename(r->L, -1));
  if (!gp_are_labels_of(set, r->box))
    luaL_error(r->L, "look.%s: the labels belong to another profile", name);
  return set;
}

const gp_profile *gp_report_profile(const gp_report *r) {
  return gp_open_profile(r->L, r->box);
}

bool gp_report_has_entry(const gp_report *r, const gp_callgraph *graph, uint32_t node) {
  const gp_symtab *symtab = graph->symtab;
  if (graph->rank[node] == 0 || !graph->printed[node]) return false;
  if (symtab->lines && !(node < graph->functions && symtab->flags[node] & GP_FUNCTION))
    return false;
  return r->unused || gp_callgraph_is_used(graph, node) ||
         gp_callgraph_is_outside(graph, node);
}

double gp_report_seconds(const gp_report *r, double ticks) {
  return gp_profile_seconds(gp_report_profile(r), ticks);
}

gp_field_value gp_report_bound(const gp_report *r, const double *bound, uint32_t node) {
  return gp_number_value(bound ? gp_report_seconds(r, bound[node]) : 0);
}

gp_field_value gp_report_bounds_mark(const gp_report *r, uint32_t node) {
  const gp_profile *profile = gp_report_profile(r);
  const gp_time_bounds *bounds = &profile->bounds;
  bool far_apart = bounds->low && 10 * (bounds->high[node] - bounds->low[node]) >
                                      profile->samples.total;
  return gp_text_value(far_apart ? "?" : " ");
}

gp_field_value gp_report_label(const gp_report *r, const gp_labels *set, uint32_t node,
                               gp_label *label) {
  return gp_label_of_node(r->L, set, node, label);
}

/* Returns the stack index of the coloured format that look.paint returns. */
static int paint(const gp_report *r, int format, const gp_shade *shade) {
  lua_State *L = r->L;
  lua_pushvalue(L, GP_REPORT_PAINT);
  lua_pushvalue(L, format);
  lua_pushnumber(L, shade->percent);
  lua_pushboolean(L, shade->used);
  lua_pushboolean(L, shade->primary);
  lua_call(L, 4, 1);
  lua_replace(L, GP_REPORT_PAINTED);
  luaL_checkstring(L, GP_REPORT_PAINTED);
  return GP_REPORT_PAINTED;
}

void gp_write_painted(const gp_report *r, int format, const gp_shade *shade,
                      const gp_field_value *values, int count, const gp_labels *set) {
  const gp_row_values written = {.count = count, .fields = values, .labels = set};
  if (r->painted) format = paint(r, format, shade);
  gp_write_row(r->L, GP_REPORT_STREAM, r->s, format, &written);
}
