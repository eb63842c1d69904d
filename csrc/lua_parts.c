/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a profile for Lua: functions, cycles and arcs (see lua_iteration.c). */
#include <stdlib.h>

#include "binding.h"

/* What they are parts of, if it is open. */
static const void *open_whole(lua_State *L, int whole) {
  return open_profile(L, lua_touserdata(L, whole));
}

/* --- one object for each --------------------------------------------------- */

static const part_kind function_parts, cycle_parts;

/* Pushes the object of a function or a cycle. */
static void push_node_of(lua_State *L, const part *p) {
  bool cycle = p->id >= ((const gp_profile *)p->owner)->graph.functions;
  part node = {cycle ? &cycle_parts : &function_parts, p->owner, p->id, p->whole};
  push_part(L, &node, PROFILE_OBJECTS, cycle ? GP_CYCLE_NODE : GP_FUNCTION_NODE);
}

static void push_arc(lua_State *L, const part *p) {
  push_part(L, p, PROFILE_ARCS, GP_ARC);
}

static const part_kind
    function_parts = {"gprof.function.fields", open_whole, push_node_of, PROFILE_SYMBOLS},
    cycle_parts = {"gprof.cycle.fields", open_whole, push_node_of, PROFILE_SYMBOLS},
    node_parts = {"gprof.node.fields", open_whole, push_node_of, PROFILE_SYMBOLS},
    arc_parts = {"gprof.arc.fields", open_whole, push_arc, PROFILE_SYMBOLS};

void push_node(lua_State *L, int profile, uint32_t node) {
  part p = {&node_parts, open_whole(L, profile), node, profile};
  push_node_of(L, &p);
}

int push_node_fields(lua_State *L, int profile, uint32_t node, int first, int last) {
  const gp_profile *owner = open_whole(L, profile);
  part p = {node < owner->graph.functions ? &function_parts : &cycle_parts, owner, node, profile};
  luaL_checkstack(L, last - first + 8, "too many fields");
  lua_getfield(L, LUA_REGISTRYINDEX, p.kind->fields);
  int table = lua_gettop(L);
  for (int i = first; i <= last; i++) {
    lua_pushvalue(L, table);
    const object_field *field = check_field(L, i);
    lua_pop(L, 1);
    field->push(L, &p);
  }
  return lua_gettop(L) - table;
}

/* --- iteration ------------------------------------------------------------- */

int iterate_nodes(lua_State *L) {
  const gp_profile *profile = open_whole(L, 1);
  iteration *each = new_iteration(L, &node_parts, 1, 2);
  each->rows = gp_order_nodes(&profile->graph, &each->count);
  return return_iteration(L, order_option(L, 2, NULL) == 0);
}

int iterate_cycles(lua_State *L) {
  const gp_profile *profile = open_whole(L, 1);
  iteration *each = new_iteration(L, &cycle_parts, 1, 2);
  each->rows = gp_order_cycles(&profile->graph, &each->count);
  return return_iteration(L, order_option(L, 2, NULL) == 0);
}

int iterate_functions(lua_State *L) {
  static const char *const names[] = {"self", "symbol", "address", NULL};
  static const gp_function_order orders[] = {GP_BY_SELF, GP_BY_NAME, GP_BY_ADDRESS};
  const gp_profile *profile = open_whole(L, 1);
  int order = order_option(L, 2, names);
  iteration *each = new_iteration(L, &function_parts, 1, 2);
  each->rows = gp_order_functions(&profile->graph, order < 0 ? GP_BY_SELF : orders[order],
                                  &each->count);
  return return_iteration(L, order >= 0);
}

int iterate_arcs(lua_State *L) {
  static const char *const names[] = {"id", "count", NULL};
  static const gp_arc_order orders[] = {GP_BY_CREATION, GP_BY_COUNT};
  const gp_profile *profile = open_whole(L, 1);
  int order = order_option(L, 2, names);
  iteration *each = new_iteration(L, &arc_parts, 1, 2);
  each->rows = gp_order_arcs(&profile->graph, order < 0 ? GP_BY_CREATION : orders[order],
                             &each->count);
  return return_iteration(L, order >= 0);
}

int iterate_around(lua_State *L, around what, uint32_t node, int order) {
  static const struct {
    const part_kind *kind;
    uint32_t *(*order)(const gp_graph *graph, uint32_t node, size_t *count);
  } lists[] = {
      [AROUND_CALLERS] = {&arc_parts, gp_order_callers},
      [AROUND_CALLEES] = {&arc_parts, gp_order_callees},
      [AROUND_MEMBERS] = {&function_parts, gp_order_members},
      [AROUND_LINES] = {&function_parts, gp_order_lines},
  };
  const gp_graph *graph = &((const gp_profile *)open_whole(L, 1))->graph;
  if (what == AROUND_LINES && !graph->symtab->function)
    luaL_error(L, "the profile is not one by line");
  iteration *each = new_iteration(L, lists[what].kind, 1, order);
  each->rows = lists[what].order(graph, node, &each->count);
  return return_iteration(L, order_option(L, order, NULL) == 0);
}

/* --- values ---------------------------------------------------------------- */

static const gp_profile *profile_of(const void *object) {
  return ((const part *)object)->owner;
}

static const gp_graph *graph_of(const void *object) { return &profile_of(object)->graph; }

static const gp_symtab *symtab_of(const void *object) { return profile_of(object)->symtab; }

static uint32_t id_of(const void *object) { return ((const part *)object)->id; }

/* --- blocks ------------------------------------------------------------------ */

/* Upvalues: the profile, the symbol, and the number of the block that comes next. */
static int next_block(lua_State *L) {
  const gp_block_table *blocks = &check_profile(L, lua_upvalueindex(1))->blocks;
  lua_Integer symbol = lua_tointeger(L, lua_upvalueindex(2));
  lua_Integer block = lua_tointeger(L, lua_upvalueindex(3));
  if (blocks->count == 0 || block >= blocks->start[symbol + 1]) return 0;
  lua_pushinteger(L, block + 1);
  lua_replace(L, lua_upvalueindex(3));
  lua_pushinteger(L, (lua_Integer)blocks->address[block]);
  lua_pushinteger(L, (lua_Integer)blocks->executions[block]);
  return 2;
}

int push_blocks(lua_State *L, int profile, uint32_t symbol) {
  const gp_block_table *blocks = &check_profile(L, profile)->blocks;
  lua_pushvalue(L, profile);
  lua_pushinteger(L, symbol);
  lua_pushinteger(L, blocks->count > 0 ? blocks->start[symbol] : 0);
  lua_pushcclosure(L, next_block, 3);
  return 1;
}

/* The number by which Lua knows a node: from 1, as Lua counts. */
static void push_number_of(lua_State *L, uint32_t node) {
  lua_pushinteger(L, (lua_Integer)node + 1);
}

/* Ticks in the profile's unit; 0 where nothing was sampled. */
static void push_time(lua_State *L, const void *object, double ticks) {
  double rate = profile_of(object)->samples.rate;
  lua_pushnumber(L, rate != 0 ? ticks / rate : 0);
}

/* --- fields of functions and cycles ---------------------------------------- */

static void push_profile(lua_State *L, const void *object) {
  lua_pushvalue(L, ((const part *)object)->whole);
}

static void push_id(lua_State *L, const void *object) { push_number_of(L, id_of(object)); }

static void push_is_cycle(lua_State *L, const void *object) {
  lua_pushboolean(L, id_of(object) >= graph_of(object)->functions);
}

static void push_is_function(lua_State *L, const void *object) {
  uint32_t id = id_of(object);
  lua_pushboolean(L, id < graph_of(object)->functions &&
                         symtab_of(object)->flags[id] & GP_FUNCTION);
}

static void push_index(lua_State *L, const void *object) {
  lua_pushinteger(L, graph_of(object)->rank[id_of(object)]);
}

static void push_printed(lua_State *L, const void *object) {
  lua_pushboolean(L, graph_of(object)->printed[id_of(object)]);
}

static void push_calls(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)graph_of(object)->calls[id_of(object)]);
}

static void push_self_calls(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)graph_of(object)->self_calls[id_of(object)]);
}

static void push_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, graph_of(object)->self[id_of(object)]);
}

static void push_children_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, graph_of(object)->children[id_of(object)]);
}

static void push_self(lua_State *L, const void *object) {
  push_time(L, object, graph_of(object)->self[id_of(object)]);
}

static void push_children(lua_State *L, const void *object) {
  push_time(L, object, graph_of(object)->children[id_of(object)]);
}

static void push_share(lua_State *L, const void *object) {
  lua_pushnumber(L, graph_of(object)->share[id_of(object)]);
}

static void push_graph_self(lua_State *L, const void *object) {
  push_time(L, object, graph_of(object)->shown_self[id_of(object)]);
}

static void push_graph_children(lua_State *L, const void *object) {
  push_time(L, object, graph_of(object)->shown_children[id_of(object)]);
}

static void push_graph_percent(lua_State *L, const void *object) {
  const gp_graph *graph = graph_of(object);
  uint32_t id = id_of(object);
  double ticks = graph->shown_self[id] + graph->shown_children[id];
  lua_pushnumber(L, graph->total > 0 ? 100 * ticks / graph->total : 0);
}

/* --- functions ------------------------------------------------------------- */

static bool is_line(const void *object) {
  const gp_symtab *symtab = symtab_of(object);
  return symtab->function && symtab->function[id_of(object)] != id_of(object);
}

static void push_is_line(lua_State *L, const void *object) {
  lua_pushboolean(L, is_line(object));
}

static void push_function_id(lua_State *L, const void *object) {
  push_number_of(L, is_line(object) ? symtab_of(object)->function[id_of(object)]
                                    : id_of(object));
}

static bool is_selected(const void *object, gp_stage stage) {
  const gp_selections *selections = &profile_of(object)->selections;
  return gp_is_selected(&selections->of[stage], id_of(object));
}

static void push_listed(lua_State *L, const void *object) {
  lua_pushboolean(L, is_selected(object, GP_FLAT));
}

static void push_tallied(lua_State *L, const void *object) {
  lua_pushboolean(L, is_selected(object, GP_EXECUTIONS));
}

static void push_annotated(lua_State *L, const void *object) {
  lua_pushboolean(L, is_selected(object, GP_ANNOTATION));
}

static void push_cycle(lua_State *L, const void *object) {
  uint32_t cycle = graph_of(object)->cycle[id_of(object)];
  if (cycle == GP_NONE)
    lua_pushnil(L);
  else
    push_node(L, ((const part *)object)->whole, cycle);
}

/* Iterates over what is around argument 1, in the order of argument 2. */
static int iterate(lua_State *L, const char *metatable, around what) {
  part p = check_part(L, metatable);
  lua_replace(L, 1);  /* the profile in place of its part */
  return iterate_around(L, what, p.id, 2);
}

/* function:callers([order [, field...]]): arcs into it */
static int callers(lua_State *L) { return iterate(L, GP_FUNCTION_NODE, AROUND_CALLERS); }

/* function:callees([order [, field...]]): arcs out of it */
static int callees(lua_State *L) { return iterate(L, GP_FUNCTION_NODE, AROUND_CALLEES); }

/* function:lines([order [, field...]]): the lines of its code, itself among them */
static int lines(lua_State *L) { return iterate(L, GP_FUNCTION_NODE, AROUND_LINES); }

/* function:blocks(): addresses and executions of its basic blocks */
static int blocks(lua_State *L) {
  part p = check_part(L, GP_FUNCTION_NODE);
  return push_blocks(L, p.whole, p.id);
}

static int describe_function(lua_State *L) {
  part p = check_part(L, GP_FUNCTION_NODE);
  push_symbol_name(L, &p);
  lua_pushfstring(L, "function: %s", lua_tostring(L, -1));
  return 1;
}

/* --- cycles ---------------------------------------------------------------- */

static void push_number(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)(id_of(object) - graph_of(object)->functions + 1));
}

static void push_cycle_name(lua_State *L, const void *object) {
  lua_pushfstring(L, "<cycle %d>",
                  (int)(id_of(object) - graph_of(object)->functions + 1));
}

/* cycle:members([order [, field...]]): functions */
static int members(lua_State *L) { return iterate(L, GP_CYCLE_NODE, AROUND_MEMBERS); }

/* The name of a function or a cycle. */
static void push_node_name(lua_State *L, const void *object) {
  if (id_of(object) < graph_of(object)->functions)
    push_symbol_name(L, object);
  else
    push_cycle_name(L, object);
}

static int describe_cycle(lua_State *L) {
  part p = check_part(L, GP_CYCLE_NODE);
  push_cycle_name(L, &p);
  lua_pushfstring(L, "cycle: %s", lua_tostring(L, -1));
  return 1;
}

/* --- arcs ------------------------------------------------------------------ */

static void push_caller(lua_State *L, const void *object) {
  push_node(L, ((const part *)object)->whole, graph_of(object)->caller[id_of(object)]);
}

static void push_callee(lua_State *L, const void *object) {
  push_node(L, ((const part *)object)->whole, graph_of(object)->callee[id_of(object)]);
}

static void push_caller_id(lua_State *L, const void *object) {
  push_number_of(L, graph_of(object)->caller[id_of(object)]);
}

static void push_callee_id(lua_State *L, const void *object) {
  push_number_of(L, graph_of(object)->callee[id_of(object)]);
}

static void push_count(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)graph_of(object)->count[id_of(object)]);
}

/* Calls of the callee, or of its cycle, from all its callers. */
static void push_of(lua_State *L, const void *object) {
  const gp_graph *graph = graph_of(object);
  uint32_t node = gp_graph_whole(graph, graph->callee[id_of(object)]);
  lua_pushinteger(L, (lua_Integer)graph->calls[node]);
}

static void push_arc_self(lua_State *L, const void *object) {
  push_time(L, object, gp_propagated(graph_of(object), id_of(object)).self);
}

static void push_arc_children(lua_State *L, const void *object) {
  push_time(L, object, gp_propagated(graph_of(object), id_of(object)).children);
}

/* A call of oneself, or between members of one cycle: it moves no time. */
static void push_recursive(lua_State *L, const void *object) {
  const gp_graph *graph = graph_of(object);
  uint32_t caller = graph->caller[id_of(object)], callee = graph->callee[id_of(object)];
  lua_pushboolean(L, caller == callee || gp_graph_same_cycle(graph, caller, callee));
}

static int describe_arc(lua_State *L) {
  part p = check_part(L, GP_ARC);
  const gp_graph *graph = graph_of(&p);
  lua_pushfstring(L, "arc: %s -> %s", symtab_of(&p)->name[graph->caller[p.id]],
                  symtab_of(&p)->name[graph->callee[p.id]]);
  return 1;
}

/* --- what there is --------------------------------------------------------- */

static const object_field node_fields[] = {
    {"profile", push_profile},
    {"id", push_id},                    /* its number, for profile:node(id) */
    {"name", push_node_name},           /* demangled unless not wanted; "<cycle 1>" */
    {"is_cycle", push_is_cycle},
    {"is_function", push_is_function},  /* typed as a function; not so lines and cycles */
    {"index", push_index},              /* its place in the call graph */
    {"printed", push_printed},          /* has an entry there */
    {"calls", push_calls},              /* by others that were recorded */
    {"self_calls", push_self_calls},    /* by itself */
    {"self", push_self},                /* seconds in its own code */
    {"children", push_children},        /* seconds in what it called */
    {"ticks", push_ticks},              /* samples in its own code */
    {"children_ticks", push_children_ticks},
    {"share", push_share},              /* part of its time that counts in the graph */
    {"graph_self", push_graph_self},    /* seconds that count there */
    {"graph_children", push_graph_children},
    {"graph_percent", push_graph_percent},  /* of all that count there */
    {NULL, NULL}};

/* besides those of its symbol */
static const object_field function_fields[] = {
    {"listed", push_listed},    /* selected for the flat profile */
    {"tallied", push_tallied},  /* selected for execution counts */
    {"annotated", push_annotated},  /* selected for annotated source */
    {"is_line", push_is_line},  /* is a line in the middle of a function */
    {"function_id", push_function_id},  /* the function that it is of, or itself */
    {"cycle", push_cycle},      /* the cycle it is a member of, or nil */
    {NULL, NULL}};

static const object_field cycle_fields[] = {
    {"number", push_number},    /* from 1 */
    {NULL, NULL}};

static const object_field arc_fields[] = {
    {"profile", push_profile},
    {"id", push_id},                /* its number, in the order of creation */
    {"caller", push_caller},
    {"callee", push_callee},
    {"caller_id", push_caller_id},  /* their numbers, for profile:node(id) */
    {"callee_id", push_callee_id},
    {"count", push_count},          /* calls along this arc */
    {"of", push_of},                /* calls of the callee from all callers */
    {"self", push_arc_self},        /* seconds of the callee due to it */
    {"children", push_arc_children},
    {"recursive", push_recursive},  /* within a function or cycle: moves no time */
    {NULL, NULL}};

/* Defines the objects, and keeps their tables of fields for iterations. */
void define_parts(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  static const luaL_Reg function_meta[] = {{"__tostring", describe_function}, {NULL, NULL}};
  static const luaL_Reg function_methods[] = {
      {"callers", callers}, {"callees", callees}, {"lines", lines}, {"blocks", blocks},
      {NULL, NULL}};
  static const luaL_Reg cycle_meta[] = {{"__tostring", describe_cycle}, {NULL, NULL}};
  static const luaL_Reg cycle_methods[] = {{"members", members}, {NULL, NULL}};
  static const luaL_Reg arc_meta[] = {{"__tostring", describe_arc}, {NULL, NULL}};
  define_object(L, GP_FUNCTION_NODE, get_part_field, function_meta, function_methods);
  define_fields(L, symbol_fields);
  define_fields(L, node_fields);
  define_fields(L, function_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, function_parts.fields);
  define_object(L, GP_CYCLE_NODE, get_part_field, cycle_meta, cycle_methods);
  define_fields(L, node_fields);
  define_fields(L, cycle_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, cycle_parts.fields);
  define_object(L, GP_ARC, get_part_field, arc_meta, none);
  define_fields(L, arc_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, arc_parts.fields);
  lua_newtable(L);  /* of what functions and cycles have in common */
  define_fields(L, node_fields);
  lua_setfield(L, LUA_REGISTRYINDEX, node_parts.fields);
}
