/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a profile for Lua: functions, cycles and arcs (see lua_iteration.c). */
#include <stdlib.h>

#include "lua/binding.h"

/* What they are parts of, if it is open. */
static const void *open_whole(lua_State *L, int whole) {
  return gp_open_profile(L, lua_touserdata(L, whole));
}

/* --- one object for each --------------------------------------------------- */

static const gp_part_kind function_parts, cycle_parts;

/* Pushes the object of a function or a cycle. */
static void push_node_of(lua_State *L, const gp_part *p) {
  bool cycle = p->id >= ((const gp_profile *)p->owner)->graph.functions;
  gp_part node = {L, cycle ? &cycle_parts : &function_parts, p->owner, p->id, p->whole};
  gp_push_part(L, &node, GP_PROFILE_OBJECTS, cycle ? GP_CYCLE_NODE : GP_FUNCTION_NODE);
}

static void push_arc(lua_State *L, const gp_part *p) {
  gp_push_part(L, p, GP_PROFILE_ARCS, GP_ARC);
}

static const gp_part_kind function_parts = {"gprof.function.fields", open_whole,
                                            push_node_of, GP_PROFILE_SYMBOLS},
                          cycle_parts = {"gprof.cycle.fields", open_whole, push_node_of,
                                         GP_PROFILE_SYMBOLS},
                          node_parts = {"gprof.node.fields", open_whole, push_node_of,
                                        GP_PROFILE_SYMBOLS},
                          arc_parts = {"gprof.arc.fields", open_whole, push_arc,
                                       GP_PROFILE_SYMBOLS};

void gp_push_node(lua_State *L, int profile, uint32_t node) {
  gp_part p = {L, &node_parts, open_whole(L, profile), node, profile};
  push_node_of(L, &p);
}

int gp_push_node_fields(lua_State *L, int profile, uint32_t node, int first, int last) {
  const gp_profile *owner = open_whole(L, profile);
  const gp_part_kind *kind =
      node < owner->graph.functions ? &function_parts : &cycle_parts;
  gp_part p = {L, kind, owner, node, profile};
  luaL_checkstack(L, last - first + 8, "too many fields");
  lua_getfield(L, LUA_REGISTRYINDEX, p.kind->fields);
  int table = lua_gettop(L);
  for (int i = first; i <= last; i++) {
    lua_pushvalue(L, table);
    const gp_part_field *field = gp_check_part_field(L, i);
    lua_pop(L, 1);
    gp_push_value(L, field->get(&p));
  }
  return lua_gettop(L) - table;
}

/* --- iteration ------------------------------------------------------------- */

int gp_iterate_nodes(lua_State *L) {
  const gp_profile *profile = open_whole(L, 1);
  gp_iteration *each = gp_new_iteration(L, &node_parts, 1, 2);
  each->rows.row = gp_order_nodes(&profile->graph, &each->rows.count);
  return gp_return_iteration(L, gp_order_option(L, 2, NULL) == 0);
}

int gp_iterate_cycles(lua_State *L) {
  const gp_profile *profile = open_whole(L, 1);
  gp_iteration *each = gp_new_iteration(L, &cycle_parts, 1, 2);
  each->rows.row = gp_order_cycles(&profile->graph, &each->rows.count);
  return gp_return_iteration(L, gp_order_option(L, 2, NULL) == 0);
}

int gp_iterate_functions(lua_State *L) {
  static const char *const names[] = {"self", "symbol", "address", NULL};
  static const gp_function_order orders[] = {GP_BY_SELF, GP_BY_NAME, GP_BY_ADDRESS};
  const gp_profile *profile = open_whole(L, 1);
  int order = gp_order_option(L, 2, names);
  gp_iteration *each = gp_new_iteration(L, &function_parts, 1, 2);
  each->rows.row =
      gp_order_functions(&profile->graph, order < 0 ? GP_BY_SELF : orders[order],
                         &each->rows.count);
  return gp_return_iteration(L, order >= 0);
}

int gp_iterate_arcs(lua_State *L) {
  static const char *const names[] = {"id", "count", NULL};
  static const gp_arc_order orders[] = {GP_BY_CREATION, GP_BY_COUNT};
  const gp_profile *profile = open_whole(L, 1);
  int order = gp_order_option(L, 2, names);
  gp_iteration *each = gp_new_iteration(L, &arc_parts, 1, 2);
  each->rows.row =
      gp_order_arcs(&profile->graph, order < 0 ? GP_BY_CREATION : orders[order],
                    &each->rows.count);
  return gp_return_iteration(L, order >= 0);
}

int gp_iterate_around(lua_State *L, gp_around what, uint32_t node, int order) {
  static const struct {
    const gp_part_kind *kind;
    bool (*order)(const gp_callgraph *graph, uint32_t node, gp_rows *rows);
  } lists[] = {
      [GP_AROUND_CALLERS] = {&arc_parts, gp_order_callers},
      [GP_AROUND_CALLEES] = {&arc_parts, gp_order_callees},
      [GP_AROUND_MEMBERS] = {&function_parts, gp_order_members},
      [GP_AROUND_LINES] = {&function_parts, gp_order_lines},
  };
  const gp_callgraph *graph = &((const gp_profile *)open_whole(L, 1))->graph;
  if (what == GP_AROUND_LINES && !graph->symtab->function)
    luaL_error(L, "the profile is not one by line");
  gp_iteration *each = gp_new_iteration(L, lists[what].kind, 1, order);
  if (!lists[what].order(graph, node, &each->rows)) return gp_raise_no_memory(L);
  return gp_return_iteration(L, gp_order_option(L, order, NULL) == 0);
}

/* --- values ---------------------------------------------------------------- */

static const gp_profile *profile_of(const gp_part *p) { return p->owner; }

static const gp_callgraph *graph_of(const gp_part *p) { return &profile_of(p)->graph; }

static const gp_symtab *symtab_of(const gp_part *p) { return profile_of(p)->symtab; }

/* The number by which Lua knows a node: from 1, as Lua counts. */
static gp_field_value number_of(uint32_t node) {
  return gp_integer_value((uint64_t)node + 1);
}

/* Ticks in the profile's unit; 0 where nothing was sampled. */
static gp_field_value time_value(const gp_part *p, double ticks) {
  return gp_number_value(gp_profile_seconds(profile_of(p), ticks));
}

/* The one object that stands for a node. */
static gp_field_value node_value(const gp_part *p, uint32_t node) {
  gp_push_node(p->L, p->whole, node);
  return gp_pushed_value;
}

/* --- blocks ------------------------------------------------------------------ */

/* Upvalues: the profile, the symbol, and the number of the block that comes next. */
static int next_block(lua_State *L) {
  const gp_block_counts *blocks = &gp_check_profile(L, lua_upvalueindex(1))->blocks;
  lua_Integer symbol = lua_tointeger(L, lua_upvalueindex(2));
  lua_Integer block = lua_tointeger(L, lua_upvalueindex(3));
  if (blocks->count == 0 || block >= blocks->start[symbol + 1]) return 0;
  lua_pushinteger(L, block + 1);
  lua_replace(L, lua_upvalueindex(3));
  lua_pushinteger(L, (lua_Integer)blocks->address[block]);
  lua_pushinteger(L, (lua_Integer)blocks->executions[block]);
  return 2;
}

int gp_push_blocks(lua_State *L, int profile, uint32_t symbol) {
  const gp_block_counts *blocks = &gp_check_profile(L, profile)->blocks;
  lua_pushvalue(L, profile);
  lua_pushinteger(L, symbol);
  lua_pushinteger(L, blocks->count > 0 ? blocks->start[symbol] : 0);
  lua_pushcclosure(L, next_block, 3);
  return 1;
}

/* --- fields of functions and cycles ---------------------------------------- */

static gp_field_value get_profile(const gp_part *p) {
  lua_pushvalue(p->L, p->whole);
  return gp_pushed_value;
}

static gp_field_value get_id(const gp_part *p) { return number_of(p->id); }

static gp_field_value get_is_cycle(const gp_part *p) {
  return gp_boolean_value(p->id >= graph_of(p)->functions);
}

static gp_field_value get_is_function(const gp_part *p) {
  uint32_t id = p->id;
  return gp_boolean_value(id < graph_of(p)->functions &&
                          symtab_of(p)->flags[id] & GP_FUNCTION);
}

static gp_field_value get_index(const gp_part *p) {
  return gp_integer_value(graph_of(p)->rank[p->id]);
}

static gp_field_value get_printed(const gp_part *p) {
  return gp_boolean_value(graph_of(p)->printed[p->id]);
}

static gp_field_value get_calls(const gp_part *p) {
  return gp_integer_value(graph_of(p)->calls[p->id]);
}

static gp_field_value get_self_calls(const gp_part *p) {
  return gp_integer_value(graph_of(p)->self_calls[p->id]);
}

static gp_field_value get_ticks(const gp_part *p) {
  return gp_number_value(graph_of(p)->self[p->id]);
}

static gp_field_value get_children_ticks(const gp_part *p) {
  return gp_number_value(graph_of(p)->children[p->id]);
}

static gp_field_value get_self(const gp_part *p) {
  return time_value(p, graph_of(p)->self[p->id]);
}

/* nil where nothing was sampled. */
static gp_field_value get_self_error(const gp_part *p) {
  const gp_profile *profile = profile_of(p);
  if (profile->samples.rate == 0) return gp_no_value;
  return gp_number_value(gp_profile_error(profile, profile->graph.self[p->id]));
}

static gp_field_value get_children(const gp_part *p) {
  return time_value(p, graph_of(p)->children[p->id]);
}

static gp_field_value get_share(const gp_part *p) {
  return gp_number_value(graph_of(p)->share[p->id]);
}

static gp_field_value get_graph_self(const gp_part *p) {
  return time_value(p, graph_of(p)->shown_self[p->id]);
}

static gp_field_value get_graph_children(const gp_part *p) {
  return time_value(p, graph_of(p)->shown_children[p->id]);
}

static gp_field_value get_graph_percent(const gp_part *p) {
  return gp_number_value(gp_callgraph_percent(graph_of(p), p->id));
}

/* --- functions ------------------------------------------------------------- */

static bool is_line(const gp_part *p) {
  return gp_symtab_is_line(symtab_of(p), p->id);
}

static gp_field_value get_is_line(const gp_part *p) {
  return gp_boolean_value(is_line(p));
}

static gp_field_value get_function_id(const gp_part *p) {
  return number_of(is_line(p) ? symtab_of(p)->function[p->id] : p->id);
}

static bool is_selected(const gp_part *p, gp_stage stage) {
  return gp_is_selected(&profile_of(p)->selections.of[stage], p->id);
}

static gp_field_value get_listed(const gp_part *p) {
  return gp_boolean_value(is_selected(p, GP_FLAT));
}

static gp_field_value get_tallied(const gp_part *p) {
  return gp_boolean_value(is_selected(p, GP_EXECUTIONS));
}

static gp_field_value get_annotated(const gp_part *p) {
  return gp_boolean_value(is_selected(p, GP_ANNOTATION));
}

static gp_field_value get_cycle(const gp_part *p) {
  uint32_t cycle = graph_of(p)->cycle[p->id];
  return cycle == GP_NONE ? gp_no_value : node_value(p, cycle);
}

/* Iterates over what is around argument 1, in the order of argument 2. */
static int iterate(lua_State *L, const char *metatable, gp_around what) {
  gp_part p = gp_check_part(L, metatable);
  lua_replace(L, 1);  /* the profile in place of its part */
  return gp_iterate_around(L, what, p.id, 2);
}

/* function:callers([order [, field...]]): arcs into it */
static int callers(lua_State *L) {
  return iterate(L, GP_FUNCTION_NODE, GP_AROUND_CALLERS);
}

/* function:callees([order [, field...]]): arcs out of it */
static int callees(lua_State *L) {
  return iterate(L, GP_FUNCTION_NODE, GP_AROUND_CALLEES);
}

/* function:lines([order [, field...]]): the lines of its code, itself among them */
static int lines(lua_State *L) { return iterate(L, GP_FUNCTION_NODE, GP_AROUND_LINES); }

/* function:blocks(): addresses and executions of its basic blocks */
static int blocks(lua_State *L) {
  gp_part p = gp_check_part(L, GP_FUNCTION_NODE);
  return gp_push_blocks(L, p.whole, p.id);
}

static int describe_function(lua_State *L) {
  gp_part p = gp_check_part(L, GP_FUNCTION_NODE);
  lua_pushfstring(L, "function: %s", gp_name_of_symbol(&p).as.text);
  return 1;
}

/* --- cycles ---------------------------------------------------------------- */

static gp_field_value get_number(const gp_part *p) {
  return gp_integer_value(p->id - graph_of(p)->functions + 1);
}

static void push_cycle_name(const gp_part *p) {
  lua_pushfstring(p->L, "<cycle %d>", (int)(p->id - graph_of(p)->functions + 1));
}

/* cycle:members([order [, field...]]): functions */
static int members(lua_State *L) { return iterate(L, GP_CYCLE_NODE, GP_AROUND_MEMBERS); }

/* cycle:callers([order [, field...]]): arcs into it, from functions outside */
static int cycle_callers(lua_State *L) {
  return iterate(L, GP_CYCLE_NODE, GP_AROUND_CALLERS);
}

/* cycle:callees([order [, field...]]): arcs out of it, of its members */
static int cycle_callees(lua_State *L) {
  return iterate(L, GP_CYCLE_NODE, GP_AROUND_CALLEES);
}

/* The name of a function or a cycle. */
static gp_field_value get_node_name(const gp_part *p) {
  if (p->id < graph_of(p)->functions) return gp_name_of_symbol(p);
  push_cycle_name(p);
  return gp_pushed_value;
}

static int describe_cycle(lua_State *L) {
  gp_part p = gp_check_part(L, GP_CYCLE_NODE);
  push_cycle_name(&p);
  lua_pushfstring(L, "cycle: %s", lua_tostring(L, -1));
  return 1;
}

/* --- arcs ------------------------------------------------------------------ */

static gp_field_value get_caller(const gp_part *p) {
  return node_value(p, graph_of(p)->caller[p->id]);
}

static gp_field_value get_callee(const gp_part *p) {
  return node_value(p, graph_of(p)->callee[p->id]);
}

static gp_field_value get_caller_id(const gp_part *p) {
  return number_of(graph_of(p)->caller[p->id]);
}

static gp_field_value get_callee_id(const gp_part *p) {
  return number_of(graph_of(p)->callee[p->id]);
}

static gp_field_value get_count(const gp_part *p) {
  return gp_integer_value(graph_of(p)->count[p->id]);
}

static gp_field_value get_of(const gp_part *p) {
  return gp_integer_value(gp_callgraph_calls_of_callee(graph_of(p), p->id));
}

static gp_field_value get_arc_self(const gp_part *p) {
  return time_value(p, gp_propagated(graph_of(p), p->id).self);
}

static gp_field_value get_arc_children(const gp_part *p) {
  return time_value(p, gp_propagated(graph_of(p), p->id).children);
}

static gp_field_value get_recursive(const gp_part *p) {
  return gp_boolean_value(gp_callgraph_is_recursive(graph_of(p), p->id));
}

static int describe_arc(lua_State *L) {
  gp_part p = gp_check_part(L, GP_ARC);
  const gp_callgraph *graph = graph_of(&p);
  lua_pushfstring(L, "arc: %s -> %s", symtab_of(&p)->name[graph->caller[p.id]],
                  symtab_of(&p)->name[graph->callee[p.id]]);
  return 1;
}

/* --- what there is --------------------------------------------------------- */

static const gp_part_field node_fields[] = {
    {"profile", get_profile},
    {"id", get_id},                    /* its number, for profile:node(id) */
    {"name", get_node_name},           /* demangled unless not wanted; "<cycle 1>" */
    {"is_cycle", get_is_cycle},
    {"is_function", get_is_function},  /* typed as a function; not so lines and cycles */
    {"index", get_index},              /* its place in the call graph */
    {"printed", get_printed},          /* has an entry there */
    {"calls", get_calls},              /* by others that were recorded */
    {"self_calls", get_self_calls},    /* by itself */
    {"self", get_self},                /* seconds in its own code, */
    {"self_error", get_self_error},    /*   how far they may be off by chance, or nil */
    {"children", get_children},        /* seconds in what it called */
    {"ticks", get_ticks},              /* samples in its own code */
    {"children_ticks", get_children_ticks},
    {"share", get_share},              /* part of its time that counts in the graph */
    {"graph_self", get_graph_self},    /* seconds that count there */
    {"graph_children", get_graph_children},
    {"graph_percent", get_graph_percent},  /* of all that count there */
    {NULL, NULL}};

/* besides those of its symbol */
static const gp_part_field function_fields[] = {
    {"listed", get_listed},    /* selected for the flat profile */
    {"tallied", get_tallied},  /* selected for execution counts */
    {"annotated", get_annotated},  /* selected for annotated source */
    {"is_line", get_is_line},  /* is a line in the middle of a function */
    {"function_id", get_function_id},  /* the function that it is of, or itself */
    {"cycle", get_cycle},      /* the cycle it is a member of, or nil */
    {NULL, NULL}};

static const gp_part_field cycle_fields[] = {
    {"number", get_number},    /* from 1 */
    {NULL, NULL}};

static const gp_part_field arc_fields[] = {
    {"profile", get_profile},
    {"id", get_id},                /* its number, in the order of creation */
    {"caller", get_caller},
    {"callee", get_callee},
    {"caller_id", get_caller_id},  /* their numbers, for profile:node(id) */
    {"callee_id", get_callee_id},
    {"count", get_count},          /* calls along this arc */
    {"of", get_of},                /* calls of the callee from all callers */
    {"self", get_arc_self},        /* seconds of the callee due to it */
    {"children", get_arc_children},
    {"recursive", get_recursive},  /* within a function or cycle: moves no time */
    {NULL, NULL}};

/* Defines the objects, and keeps their tables of fields for iterations. */
void gp_define_parts(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  static const luaL_Reg function_meta[] = {
      {"__tostring", describe_function}, {NULL, NULL}};
  static const luaL_Reg function_methods[] = {
      {"callers", callers}, {"callees", callees}, {"lines", lines}, {"blocks", blocks},
      {NULL, NULL}};
  static const luaL_Reg cycle_meta[] = {{"__tostring", describe_cycle}, {NULL, NULL}};
  static const luaL_Reg cycle_methods[] = {
      {"members", members}, {"callers", cycle_callers}, {"callees", cycle_callees},
      {NULL, NULL}};
  static const luaL_Reg arc_meta[] = {{"__tostring", describe_arc}, {NULL, NULL}};
  gp_define_object(L, GP_FUNCTION_NODE, gp_get_part_field, function_meta,
                   function_methods);
  gp_define_part_fields(L, gp_symbol_fields);
  gp_define_part_fields(L, node_fields);
  gp_define_part_fields(L, function_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, function_parts.fields);
  gp_define_object(L, GP_CYCLE_NODE, gp_get_part_field, cycle_meta, cycle_methods);
  gp_define_part_fields(L, node_fields);
  gp_define_part_fields(L, cycle_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, cycle_parts.fields);
  gp_define_object(L, GP_ARC, gp_get_part_field, arc_meta, none);
  gp_define_part_fields(L, arc_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, arc_parts.fields);
  lua_newtable(L);  /* of what functions and cycles have in common */
  gp_define_part_fields(L, node_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, node_parts.fields);
}
