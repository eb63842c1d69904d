/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the writers of reports share. */
#include "lua/report.h"

report open_report(lua_State *L) {
  check_profile(L, REPORT_PROFILE);
  luaL_checktype(L, REPORT_LOOK, LUA_TTABLE);
  report r = {.L = L, .s = check_stream(L, REPORT_STREAM),
              .box = lua_touserdata(L, REPORT_PROFILE)};
  lua_settop(L, REPORT_LOOK);
  luaL_checkstack(L, 32, NULL);
  lua_getfield(L, REPORT_LOOK, "paint");
  lua_pushnil(L);  /* at REPORT_PAINTED */
  r.rows = push_row_list(L);
  r.unused = flag_option(L, REPORT_LOOK, "unused");
  lua_getfield(L, REPORT_LOOK, "top");
  lua_Integer top = luaL_optinteger(L, -1, -1);
  r.top = top < 0 ? SIZE_MAX : (size_t)top;
  lua_pop(L, 1);
  return r;
}

void push_look(const report *r, const char *name) {
  if (lua_getfield(r->L, REPORT_LOOK, name) != LUA_TSTRING)
    luaL_error(r->L, "look.%s: string expected, got %s", name, luaL_typename(r->L, -1));
}

const labels *push_look_labels(const report *r, const char *name) {
  lua_getfield(r->L, REPORT_LOOK, name);
  const labels *set = test_labels(r->L, -1);
  if (!set)
    luaL_error(r->L, "look.%s: labels expected, got %s", name, luaL_typename(r->L, -1));
  if (!are_labels_of(set, r->box)) luaL_error(r->L, "look.%s: of another profile", name);
  return set;
}

const gp_profile *profile_of(const report *r) { return open_profile(r->L, r->box); }

bool has_entry(const report *r, const gp_callgraph *graph, uint32_t node) {
  const gp_symtab *symtab = graph->symtab;
  if (graph->rank[node] == 0 || !graph->printed[node]) return false;
  if (symtab->function && !(node < graph->functions && symtab->flags[node] & GP_FUNCTION))
    return false;
  return r->unused || gp_callgraph_is_used(graph, node) ||
         gp_callgraph_is_outside(graph, node);
}

double seconds_of(const report *r, double ticks) {
  return gp_profile_seconds(profile_of(r), ticks);
}

field_value label_value(const report *r, const labels *set, uint32_t node, label *made) {
  make_label(r->L, set, (lua_Integer)node + 1, made);
  return (field_value){VALUE_LABEL, {.label = made}};
}

/* The format, or the one that colours make of it. */
static int paint(const report *r, int format, const shade *by) {
  lua_State *L = r->L;
  if (!lua_toboolean(L, REPORT_PAINT)) return format;
  lua_pushvalue(L, REPORT_PAINT);
  lua_pushvalue(L, format);
  lua_pushnumber(L, by->percent);
  lua_pushboolean(L, by->used);
  lua_pushboolean(L, by->primary);
  lua_call(L, 4, 1);
  lua_replace(L, REPORT_PAINTED);
  luaL_checkstring(L, REPORT_PAINTED);
  return REPORT_PAINTED;
}

void write_painted(const report *r, int format, const shade *by,
                   const field_value *values, int count, const labels *set) {
  const row_values written = {.count = count, .fields = values, .names = set};
  write_row(r->L, REPORT_STREAM, r->s, paint(r, format, by), &written);
}
