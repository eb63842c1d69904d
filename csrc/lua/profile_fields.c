/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions, cycles and arcs of a profile for Lua, and their fields. */
#include <string.h>

#include "base/columns.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/profile.h"
#include "lua/profile_fields.h"
#include "lua/spread.h"
#include "lua/symbol.h"
#include "profile/prefetch.h"

/* Returns the profile; a Lua error if it is closed. */
static const void *open_whole(lua_State *L, int whole) {
  return gp_open_profile(L, lua_touserdata(L, whole));
}

static bool is_open(const void *whole) {
  const gp_profile_box *box = whole;
  return box->profile && box->image->image;
}

/* --- objects --------------------------------------------------------------- */

/* Pushes the object of a function or a cycle. */
static void push_node_of(lua_State *L, const gp_part *p) {
  bool cycle = p->id >= ((const gp_profile *)p->owner)->graph.functions;
  const gp_part_kind *kind = cycle ? &gp_cycle_parts : &gp_function_parts;
  gp_part node = {L, kind, p->owner, p->id, p->whole};
  gp_push_part(L, &node, GP_PROFILE_OBJECTS, cycle ? GP_CYCLE_NODE : GP_FUNCTION_NODE);
}

static void push_arc(lua_State *L, const gp_part *p) {
  gp_push_part(L, p, GP_PROFILE_ARCS, GP_ARC);
}

static void prefetch_nodes(const void *profile, const uint32_t *nodes, size_t count) {
  gp_prefetch_nodes(&((const gp_profile *)profile)->graph, nodes, count);
}

static void prefetch_entries(const void *profile, const uint32_t *nodes, size_t count) {
  gp_prefetch_entries(&((const gp_profile *)profile)->graph, nodes, count);
}

static void prefetch_arcs(const void *profile, const uint32_t *arcs, size_t count) {
  gp_prefetch_arcs(&((const gp_profile *)profile)->graph, arcs, count);
}

const gp_part_kind
    gp_function_parts = {"gprof.function.fields", open_whole, is_open, push_node_of,
                         prefetch_nodes, GP_PROFILE_SYMBOLS},
    gp_cycle_parts = {"gprof.cycle.fields", open_whole, is_open, push_node_of, NULL,
                      GP_PROFILE_SYMBOLS},
    gp_node_parts = {"gprof.node.fields", open_whole, is_open, push_node_of,
                     prefetch_entries, GP_PROFILE_SYMBOLS},
    gp_arc_parts = {"gprof.arc.fields", open_whole, is_open, push_arc, prefetch_arcs,
                    GP_PROFILE_SYMBOLS};

void gp_push_node(lua_State *L, int profile, uint32_t node) {
  gp_part p = {L, &gp_node_parts, open_whole(L, profile), node, profile};
  push_node_of(L, &p);
}

/* --- values ---------------------------------------------------------------- */

static const gp_profile *profile_of(const gp_part *p) { return p->owner; }

static const gp_callgraph *graph_of(const gp_part *p) { return &profile_of(p)->graph; }

static const gp_symtab *symtab_of(const gp_part *p) { return profile_of(p)->symtab; }

/* The number of a node in Lua, counted from 1. */
static gp_field_value number_of(uint32_t node) {
  return gp_integer_value((uint64_t)node + 1);
}

/* Converts ticks to the profile's unit; 0 without samples. */
static gp_field_value time_value(const gp_part *p, double ticks) {
  return gp_number_value(gp_profile_seconds(profile_of(p), ticks));
}

/* Ticks of a column, converted or as they are; nil if the column was not computed. */
static gp_field_value known_time(const gp_part *p, const double *ticks) {
  return ticks ? time_value(p, ticks[p->id]) : gp_no_value;
}

static gp_field_value known_ticks(const gp_part *p, const double *ticks) {
  return ticks ? gp_number_value(ticks[p->id]) : gp_no_value;
}

static gp_field_value node_value(const gp_part *p, uint32_t node) {
  gp_push_node(p->L, p->whole, node);
  return gp_pushed_value;
}

/* --- fields of functions and cycles ---------------------------------------- */

static gp_field_value get_profile(const gp_part *p) {
  lua_pushvalue(p->L, p->whole);
  return gp_pushed_value;
}

static gp_field_value get_id(const gp_part *p) { return number_of(p->id); }

/* Returns the number of a node in the call graph. The nodes are numbered when the first
 * number is asked for. */
static uint32_t index_of(const gp_part *p) {
  gp_callgraph *graph = &((gp_profile *)p->owner)->graph;
  if (!gp_order_entries(graph)) gp_raise_no_memory(p->L);
  return graph->rank[p->id];
}

GP_GETTER(is_cycle, gp_boolean_value(p->id >= graph_of(p)->functions))
GP_GETTER(is_function, gp_boolean_value(p->id < graph_of(p)->functions &&
                                        symtab_of(p)->flags[p->id] & GP_FUNCTION))
GP_GETTER(index, gp_integer_value(index_of(p)))
GP_GETTER(printed, gp_boolean_value(graph_of(p)->printed[p->id]))
GP_GETTER(calls, gp_integer_value(graph_of(p)->calls[p->id]))
GP_GETTER(self_calls, gp_integer_value(graph_of(p)->self_calls[p->id]))
GP_GETTER(ticks, gp_number_value(graph_of(p)->self[p->id]))
GP_GETTER(children_ticks, gp_number_value(graph_of(p)->children[p->id]))
GP_GETTER(self, time_value(p, graph_of(p)->self[p->id]))

/* nil without a histogram */
static gp_field_value get_self_error(const gp_part *p) {
  const gp_profile *profile = profile_of(p);
  if (profile->samples.rate == 0) return gp_no_value;
  return gp_number_value(gp_profile_error(profile, profile->graph.self[p->id]));
}

GP_GETTER(children, time_value(p, graph_of(p)->children[p->id]))
GP_GETTER(share, gp_number_value(graph_of(p)->share[p->id]))
GP_GETTER(graph_self, time_value(p, graph_of(p)->shown_self[p->id]))
GP_GETTER(graph_children, time_value(p, graph_of(p)->shown_children[p->id]))
GP_GETTER(graph_percent, gp_number_value(gp_callgraph_percent(graph_of(p), p->id)))

GP_GETTER(total_low, known_time(p, profile_of(p)->bounds.low))
GP_GETTER(total_high, known_time(p, profile_of(p)->bounds.high))
GP_GETTER(least_ticks, known_ticks(p, profile_of(p)->limits.low))
GP_GETTER(most_ticks, known_ticks(p, profile_of(p)->limits.high))

/* Without samples, all percentages are 0. */
static gp_field_value get_percent(const gp_part *p) {
  double total = profile_of(p)->samples.total;
  return gp_number_value(100 * graph_of(p)->self[p->id] / (total > 0 ? total : 1));
}

GP_GETTER(is_outside, gp_boolean_value(gp_callgraph_is_outside(graph_of(p), p->id)))
GP_GETTER(used, gp_boolean_value(gp_callgraph_is_used(graph_of(p), p->id) ||
                                 gp_callgraph_is_outside(graph_of(p), p->id)))

static gp_field_value get_reference(const gp_part *p) {
  bool printed = graph_of(p)->printed[p->id];
  const gp_column_style plain = {.precision = -1};
  char text[GP_COLUMNS_NUMBER];
  gp_field_value v = {.type = GP_FIELD_SHORT, .as.chars = {printed ? '[' : '('}};
  v.length = 1 + (uint32_t)(gp_columns_integer(text, index_of(p), plain) - text);
  memcpy(v.as.chars + 1, text, v.length - 1);
  v.as.chars[v.length++] = printed ? ']' : ')';
  return v;
}

/* Cycles count as called, even if all their calls are between members. */
static gp_field_value get_node_kind(const gp_part *p) {
  const gp_callgraph *graph = graph_of(p);
  bool called = graph->calls[p->id] != 0 || p->id >= graph->functions;
  return gp_text_value(graph->self_calls[p->id] != 0 ? "recursive" :
                       called ? "called" : "uncalled");
}

/* --- functions ------------------------------------------------------------- */

GP_GETTER(inlined, known_time(p, profile_of(p)->samples.inlined))

/* nil without a spread, and for functions of libraries */
static gp_field_value get_spread(const gp_part *p) {
  const gp_symtab *symtab = symtab_of(p);
  lua_getiuservalue(p->L, p->whole, GP_PROFILE_SPREAD);
  const gp_spread_box *box = gp_test_spread(p->L, -1);
  lua_pop(p->L, 1);  /* the profile keeps it alive */
  if (!box || gp_symtab_library(symtab, p->id)) return gp_no_value;
  gp_push_spread(p->L, &box->spread, symtab->address[p->id]);
  return gp_pushed_value;
}

static bool is_line(const gp_part *p) {
  return gp_symtab_is_line(symtab_of(p), p->id);
}

GP_GETTER(is_line, gp_boolean_value(is_line(p)))
GP_GETTER(function_id,
          number_of(is_line(p) ? symtab_of(p)->lines->function[p->id] : p->id))

static bool is_selected(const gp_part *p, gp_stage stage) {
  return gp_is_selected(&profile_of(p)->selections.of[stage], p->id);
}

GP_GETTER(listed, gp_boolean_value(is_selected(p, GP_FLAT)))
GP_GETTER(tallied, gp_boolean_value(is_selected(p, GP_EXECUTIONS)))
GP_GETTER(annotated, gp_boolean_value(is_selected(p, GP_ANNOTATION)))

static gp_field_value get_cycle(const gp_part *p) {
  uint32_t cycle = graph_of(p)->cycle[p->id];
  return cycle == GP_NONE ? gp_no_value : node_value(p, cycle);
}

static int describe_function(lua_State *L) {
  gp_part p;
  if (!gp_find_part(L, GP_FUNCTION_NODE, &p)) return 1;
  lua_pushfstring(L, "function: %s", gp_name_of_symbol(&p).as.text);
  return 1;
}

/* --- cycles ---------------------------------------------------------------- */

GP_GETTER(number, gp_integer_value(p->id - graph_of(p)->functions + 1))

static void push_cycle_name(const gp_part *p) {
  lua_pushfstring(p->L, "<cycle %d>", (int)(p->id - graph_of(p)->functions + 1));
}

static gp_field_value get_node_name(const gp_part *p) {
  if (p->id < graph_of(p)->functions) return gp_name_of_symbol(p);
  push_cycle_name(p);
  return gp_pushed_value;
}

static int describe_cycle(lua_State *L) {
  gp_part p;
  if (!gp_find_part(L, GP_CYCLE_NODE, &p)) return 1;
  push_cycle_name(&p);
  lua_pushfstring(L, "cycle: %s", lua_tostring(L, -1));
  return 1;
}

/* --- arcs ------------------------------------------------------------------ */

GP_GETTER(caller, node_value(p, graph_of(p)->caller[p->id]))
GP_GETTER(callee, node_value(p, graph_of(p)->callee[p->id]))
GP_GETTER(caller_id, number_of(graph_of(p)->caller[p->id]))
GP_GETTER(callee_id, number_of(graph_of(p)->callee[p->id]))
GP_GETTER(count, gp_integer_value(graph_of(p)->count[p->id]))
GP_GETTER(of, gp_integer_value(gp_callgraph_calls_of_callee(graph_of(p), p->id)))
GP_GETTER(arc_self, time_value(p, graph_of(p)->moved[p->id].self))
GP_GETTER(arc_ticks, gp_number_value(graph_of(p)->moved[p->id].self))
GP_GETTER(arc_children_ticks, gp_number_value(graph_of(p)->moved[p->id].children))
GP_GETTER(arc_children, time_value(p, graph_of(p)->moved[p->id].children))
GP_GETTER(recursive, gp_boolean_value(gp_callgraph_is_recursive(graph_of(p), p->id)))
GP_GETTER(is_inlined, gp_boolean_value(graph_of(p)->inlined[p->id]))

static gp_field_value get_arc_printed(const gp_part *p) {
  const gp_callgraph *graph = graph_of(p);
  return gp_boolean_value(graph->printed[graph->caller[p->id]] ||
                          graph->printed[graph->callee[p->id]]);
}

/* A callee without counted calls has time only if call paths show it. Arcs of call paths
 * may also have neither; otherwise such an arc is a call in the machine code. */
static gp_field_value get_arc_kind(const gp_part *p) {
  const gp_callgraph *graph = graph_of(p);
  gp_arc_time time = graph->moved[p->id];
  bool is_timed = time.self + time.children > 0;  /* then it is not recursive */
  bool is_inner = !is_timed && gp_callgraph_is_recursive(graph, p->id);
  if (graph->count[p->id] == 0 && graph->inlined[p->id])
    return gp_text_value(is_inner ? "inlined_recursive" : "inlined");
  if (is_inner) return gp_text_value("recursive");
  bool is_static = !is_timed && (graph->has_static || !graph->arc_self);
  bool is_counted = is_static || gp_callgraph_calls_of_callee(graph, p->id) != 0;
  return gp_text_value(is_counted ? "counted" : "uncounted");
}

static int describe_arc(lua_State *L) {
  gp_part p;
  if (!gp_find_part(L, GP_ARC, &p)) return 1;
  const gp_callgraph *graph = graph_of(&p);
  lua_pushfstring(L, "arc: %s -> %s", symtab_of(&p)->name[graph->caller[p.id]],
                  symtab_of(&p)->name[graph->callee[p.id]]);
  return 1;
}

/* --- tables of fields ------------------------------------------------------ */

static const gp_field node_fields[] = {
    {"profile", get_profile},
    {"id", get_id},                    /* its number, for profile:node(id) */
    {"name", get_node_name},           /* demangled by default; or "<cycle 1>" */
    {"is_cycle", get_is_cycle},
    {"is_function", get_is_function},  /* typed as a function; not lines, cycles */
    {"index", get_index},              /* number in the call graph */
    {"printed", get_printed},          /* has an entry in the call graph */
    {"reference", get_reference},      /* "[7]", or "(7)" without an entry */
    {"is_outside", get_is_outside},    /* stands for callers outside a library */
    {"used", get_used},                /* has calls or time in the call graph */
    {"kind", get_node_kind},           /* "recursive", "called" or "uncalled" */
    {"calls", get_calls},              /* recorded calls by other functions */
    {"self_calls", get_self_calls},    /* calls by itself */
    {"self", get_self},                /* seconds in its own code */
    {"self_error", get_self_error},    /* sampling error of self, or nil */
    {"percent", get_percent},          /* of the total time */
    {"children", get_children},        /* seconds in functions that it called */
    {"ticks", get_ticks},              /* samples in its own code */
    {"children_ticks", get_children_ticks},
    {"total_low", get_total_low},      /* bounds of its time with all callees, or nil */
    {"total_high", get_total_high},
    {"least_ticks", get_least_ticks},  /* see find_limits */
    {"most_ticks", get_most_ticks},
    {"share", get_share},              /* fraction of its time that counts in the graph */
    {"graph_self", get_graph_self},    /* self seconds that count in the graph */
    {"graph_children", get_graph_children},
    {"graph_percent", get_graph_percent},  /* of the total time in the graph */
    {NULL, NULL}};

/* in addition to the fields of its symbol */
static const gp_field function_fields[] = {
    {"listed", get_listed},    /* selected for the flat profile */
    {"tallied", get_tallied},  /* selected for execution counts */
    {"annotated", get_annotated},  /* selected for annotated source */
    {"is_line", get_is_line},  /* a line other than the function's first */
    {"inlined", get_inlined},  /* the part of `self` in inlined code, or nil */
    {"spread", get_spread},    /* how its time and calls differ between runs, or nil */
    {"function_id", get_function_id},  /* id of a line's function; else `id` */
    {"cycle", get_cycle},      /* the cycle it is a member of, or nil */
    {NULL, NULL}};

static const gp_field cycle_fields[] = {
    {"number", get_number},    /* from 1 */
    {NULL, NULL}};

static const gp_field arc_fields[] = {
    {"profile", get_profile},
    {"id", get_id},                /* number, in order of creation */
    {"caller", get_caller},
    {"callee", get_callee},
    {"caller_id", get_caller_id},  /* for profile:node(id) */
    {"callee_id", get_callee_id},
    {"count", get_count},          /* calls along this arc */
    {"of", get_of},                /* calls of the callee from all callers */
    {"self", get_arc_self},        /* seconds of the callee propagated along the arc */
    {"children", get_arc_children},
    {"ticks", get_arc_ticks},      /* `self` and `children` in samples */
    {"children_ticks", get_arc_children_ticks},
    {"inlined", get_is_inlined},   /* the callee is inlined into the caller */
    {"recursive", get_recursive},  /* within a function or cycle: propagates no time */
    {"printed", get_arc_printed},  /* in the call graph entry of its caller or callee */
    {"kind", get_arc_kind},        /* what is known of its calls and time */
    {NULL, NULL}};

/* Defines the types. Puts their tables of fields into the registry, for iterators. */
void gp_define_profile_fields(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  static const luaL_Reg function_meta[] = {
      {"__tostring", describe_function}, {NULL, NULL}};
  static const luaL_Reg cycle_meta[] = {{"__tostring", describe_cycle}, {NULL, NULL}};
  static const luaL_Reg arc_meta[] = {{"__tostring", describe_arc}, {NULL, NULL}};
  gp_define_object(L, GP_FUNCTION_NODE, gp_get_part_field, function_meta, none,
                   node_fields);
  gp_define_fields(L, gp_symbol_fields);
  gp_define_fields(L, function_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, gp_function_parts.fields);
  gp_define_object(L, GP_CYCLE_NODE, gp_get_part_field, cycle_meta, none,
                   node_fields);
  gp_define_fields(L, cycle_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, gp_cycle_parts.fields);
  gp_define_object(L, GP_ARC, gp_get_part_field, arc_meta, none, arc_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, gp_arc_parts.fields);
  lua_newtable(L);  /* fields that functions and cycles share */
  gp_define_fields(L, node_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, gp_node_parts.fields);
}
