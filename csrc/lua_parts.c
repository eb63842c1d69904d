/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a profile for Lua: functions, cycles and arcs. */
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* --- one object for each --------------------------------------------------- */

/* Pushes the object of number `id` from the profile's table `table`, making it if
 * there is none: so that it equals itself and can be a key. */
static void push_part(lua_State *L, int profile, int table, uint32_t id,
                      const char *metatable) {
  lua_getiuservalue(L, profile, table);
  if (lua_rawgeti(L, -1, id) == LUA_TNIL) {
    lua_pop(L, 1);
    part_box *box = lua_newuserdatauv(L, sizeof *box, 1);
    box->profile = lua_touserdata(L, profile);
    box->id = id;
    luaL_setmetatable(L, metatable);
    lua_pushvalue(L, profile);
    lua_setiuservalue(L, -2, 1);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, id);
  }
  lua_remove(L, -2);
}

void push_node(lua_State *L, int profile, uint32_t node) {
  const profile_box *box = lua_touserdata(L, profile);
  bool cycle = node >= open_profile(L, box)->graph.functions;
  push_part(L, profile, PROFILE_OBJECTS, node, cycle ? GP_CYCLE_NODE : GP_FUNCTION_NODE);
}

void push_arc(lua_State *L, int profile, uint32_t arc) {
  push_part(L, profile, PROFILE_ARCS, arc, GP_ARC);
}

static const gp_profile *opened(lua_State *L, const part_box *part) {
  return open_profile(L, part->profile);
}

static const gp_graph *graph_of(lua_State *L, const void *object) {
  return &opened(L, object)->graph;
}

static uint32_t id_of(const void *object) { return ((const part_box *)object)->id; }

/* Ticks in the profile's unit; 0 where nothing was sampled. */
static void push_time(lua_State *L, const void *object, double ticks) {
  double rate = opened(L, object)->samples.rate;
  lua_pushnumber(L, rate != 0 ? ticks / rate : 0);
}

/* Pushes another part of the profile that `object`, the value at stack index 1,
 * belongs to. */
static void push_sibling(lua_State *L, void (*push)(lua_State *, int, uint32_t),
                         uint32_t id) {
  lua_getiuservalue(L, 1, 1);
  push(L, lua_gettop(L), id);
}

/* --- fields of functions and cycles ---------------------------------------- */

static void push_profile(lua_State *L, const void *object) {
  (void)object;
  lua_getiuservalue(L, 1, 1);
}

static void push_index(lua_State *L, const void *object) {
  lua_pushinteger(L, graph_of(L, object)->rank[id_of(object)]);
}

static void push_printed(lua_State *L, const void *object) {
  lua_pushboolean(L, graph_of(L, object)->printed[id_of(object)]);
}

static void push_calls(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)graph_of(L, object)->calls[id_of(object)]);
}

static void push_self_calls(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)graph_of(L, object)->self_calls[id_of(object)]);
}

static void push_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, graph_of(L, object)->self[id_of(object)]);
}

static void push_children_ticks(lua_State *L, const void *object) {
  lua_pushnumber(L, graph_of(L, object)->children[id_of(object)]);
}

static void push_self(lua_State *L, const void *object) {
  push_time(L, object, graph_of(L, object)->self[id_of(object)]);
}

static void push_children(lua_State *L, const void *object) {
  push_time(L, object, graph_of(L, object)->children[id_of(object)]);
}

static void push_share(lua_State *L, const void *object) {
  lua_pushnumber(L, graph_of(L, object)->share[id_of(object)]);
}

static void push_graph_self(lua_State *L, const void *object) {
  push_time(L, object, graph_of(L, object)->shown_self[id_of(object)]);
}

static void push_graph_children(lua_State *L, const void *object) {
  push_time(L, object, graph_of(L, object)->shown_children[id_of(object)]);
}

static void push_graph_percent(lua_State *L, const void *object) {
  const gp_graph *graph = graph_of(L, object);
  uint32_t id = id_of(object);
  double ticks = graph->shown_self[id] + graph->shown_children[id];
  lua_pushnumber(L, graph->total > 0 ? 100 * ticks / graph->total : 0);
}

#define NODE_FIELDS                                                                   \
  {"profile", push_profile}, {"index", push_index}, {"printed", push_printed},        \
  {"calls", push_calls}, {"self_calls", push_self_calls}, {"ticks", push_ticks},      \
  {"children_ticks", push_children_ticks}, {"self", push_self},                       \
  {"children", push_children}, {"share", push_share},                                 \
  {"graph_self", push_graph_self}, {"graph_children", push_graph_children},           \
  {"graph_percent", push_graph_percent}

/* --- functions ------------------------------------------------------------- */

static const char *symbol_name(lua_State *L, const void *object) {
  const gp_profile *profile = opened(L, object);
  return gp_image_plain_name(profile->image, profile->symtab.name[id_of(object)]);
}

static void push_symbol(lua_State *L, const void *object) {
  lua_pushstring(L, symbol_name(L, object));
}

/* Pushes the demangled form of the symbol, or the symbol itself if it has none. */
static void push_demangled(lua_State *L, const void *object) {
  const gp_profile *profile = opened(L, object);
  const char *symbol = profile->symtab.name[id_of(object)];
  char *name = gp_image_demangle(profile->image, symbol);
  if (name)
    push_and_free(L, name);
  else
    push_symbol(L, object);
}

/* The name as reports show it; demangled once. */
static void push_name(lua_State *L, const void *object) {
  const part_box *part = object;
  opened(L, part);
  if (!part->profile->demangled) {
    push_symbol(L, object);
    return;
  }
  lua_getiuservalue(L, 1, 1);
  lua_getiuservalue(L, -1, PROFILE_NAMES);
  if (lua_rawgeti(L, -1, part->id) != LUA_TNIL) return;
  push_demangled(L, object);
  lua_pushvalue(L, -1);
  lua_rawseti(L, -4, part->id);
}

static void push_address(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)opened(L, object)->symtab.address[id_of(object)]);
}

static void push_static(lua_State *L, const void *object) {
  lua_pushboolean(L, opened(L, object)->symtab.flags[id_of(object)] & GP_STATIC);
}

static void push_listed(lua_State *L, const void *object) {
  lua_pushboolean(L, gp_is_selected(&opened(L, object)->flat, id_of(object)));
}

static bool source_of(lua_State *L, const void *object, gp_source *source) {
  const gp_profile *profile = opened(L, object);
  return gp_image_source(profile->image, profile->symtab.address[id_of(object)], source);
}

static void push_file(lua_State *L, const void *object) {
  gp_source source;
  lua_pushstring(L, source_of(L, object, &source) ? source.file : NULL);
}

static void push_line(lua_State *L, const void *object) {
  gp_source source;
  if (source_of(L, object, &source))
    lua_pushinteger(L, source.line);
  else
    lua_pushnil(L);
}

static void push_cycle(lua_State *L, const void *object) {
  uint32_t cycle = graph_of(L, object)->cycle[id_of(object)];
  if (cycle == GP_NONE)
    lua_pushnil(L);
  else
    push_sibling(L, push_node, cycle);
}

typedef uint32_t *arc_order(const gp_graph *graph, uint32_t function, size_t *count);

static int iterate(lua_State *L, const char *metatable, arc_order *order,
                   void (*push)(lua_State *, int, uint32_t)) {
  const part_box *part = luaL_checkudata(L, 1, metatable);
  const gp_graph *graph = graph_of(L, part);
  lua_getiuservalue(L, 1, 1);
  int profile = lua_gettop(L);
  memory_box *box = new_memory(L);
  box->memory = order(graph, part->id, &box->count);
  if (!box->memory) return luaL_error(L, "not enough memory");
  return push_rows_iterator(L, profile, push);
}

/* function:callers(): arcs into it, in the order of its entry */
static int callers(lua_State *L) {
  return iterate(L, GP_FUNCTION_NODE, gp_order_callers, push_arc);
}

/* function:callees(): arcs out of it, in the order of its entry */
static int callees(lua_State *L) {
  return iterate(L, GP_FUNCTION_NODE, gp_order_callees, push_arc);
}

static int describe_function(lua_State *L) {
  const part_box *part = luaL_checkudata(L, 1, GP_FUNCTION_NODE);
  push_name(L, part);
  lua_pushfstring(L, "function: %s", lua_tostring(L, -1));
  return 1;
}

/* --- cycles ---------------------------------------------------------------- */

static void push_number(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)(id_of(object) - graph_of(L, object)->functions + 1));
}

static void push_cycle_name(lua_State *L, const void *object) {
  lua_pushfstring(L, "<cycle %d>",
                  (int)(id_of(object) - graph_of(L, object)->functions + 1));
}

/* cycle:members(): functions, in the order of its entry */
static int members(lua_State *L) {
  return iterate(L, GP_CYCLE_NODE, gp_order_members, push_node);
}

static int describe_cycle(lua_State *L) {
  const part_box *part = luaL_checkudata(L, 1, GP_CYCLE_NODE);
  push_cycle_name(L, part);
  lua_pushfstring(L, "cycle: %s", lua_tostring(L, -1));
  return 1;
}

/* --- arcs ------------------------------------------------------------------ */

static void push_caller(lua_State *L, const void *object) {
  push_sibling(L, push_node, graph_of(L, object)->caller[id_of(object)]);
}

static void push_callee(lua_State *L, const void *object) {
  push_sibling(L, push_node, graph_of(L, object)->callee[id_of(object)]);
}

static void push_count(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)graph_of(L, object)->count[id_of(object)]);
}

/* Calls of the callee, or of its cycle, from all its callers. */
static void push_of(lua_State *L, const void *object) {
  const gp_graph *graph = graph_of(L, object);
  uint32_t node = gp_graph_whole(graph, graph->callee[id_of(object)]);
  lua_pushinteger(L, (lua_Integer)graph->calls[node]);
}

static void push_arc_self(lua_State *L, const void *object) {
  push_time(L, object, gp_propagated(graph_of(L, object), id_of(object)).self);
}

static void push_arc_children(lua_State *L, const void *object) {
  push_time(L, object, gp_propagated(graph_of(L, object), id_of(object)).children);
}

/* A call of oneself, or between members of one cycle: it moves no time. */
static void push_recursive(lua_State *L, const void *object) {
  const gp_graph *graph = graph_of(L, object);
  uint32_t caller = graph->caller[id_of(object)], callee = graph->callee[id_of(object)];
  lua_pushboolean(L, caller == callee || gp_graph_same_cycle(graph, caller, callee));
}

static int describe_arc(lua_State *L) {
  const part_box *part = luaL_checkudata(L, 1, GP_ARC);
  const gp_profile *profile = opened(L, part);
  lua_pushfstring(L, "arc: %s -> %s", profile->symtab.name[profile->graph.caller[part->id]],
                  profile->symtab.name[profile->graph.callee[part->id]]);
  return 1;
}

void define_parts(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  static const luaL_Reg function_meta[] = {{"__tostring", describe_function}, {NULL, NULL}};
  static const luaL_Reg function_methods[] = {
      {"callers", callers}, {"callees", callees}, {NULL, NULL}};
  static const object_field function_fields[] = {
      NODE_FIELDS,
      {"name", push_name},        /* demangled, unless the profile says otherwise */
      {"symbol", push_symbol},    /* as in the symbol table */
      {"address", push_address},
      {"static", push_static},    /* local to its file */
      {"listed", push_listed},    /* selected for the flat profile */
      {"file", push_file},        /* source file as recorded, or nil */
      {"line", push_line},        /* line of its entry, or nil */
      {"cycle", push_cycle},      /* the cycle it is a member of, or nil */
      {NULL, NULL}};
  static const luaL_Reg cycle_meta[] = {{"__tostring", describe_cycle}, {NULL, NULL}};
  static const luaL_Reg cycle_methods[] = {{"members", members}, {NULL, NULL}};
  static const object_field cycle_fields[] = {
      NODE_FIELDS, {"name", push_cycle_name}, {"number", push_number}, {NULL, NULL}};
  static const luaL_Reg arc_meta[] = {{"__tostring", describe_arc}, {NULL, NULL}};
  static const object_field arc_fields[] = {
      {"profile", push_profile},
      {"caller", push_caller},
      {"callee", push_callee},
      {"count", push_count},          /* calls along this arc */
      {"of", push_of},                /* calls of the callee from all callers */
      {"self", push_arc_self},        /* seconds of the callee due to it */
      {"children", push_arc_children},
      {"recursive", push_recursive},
      {NULL, NULL}};
  define_object(L, GP_FUNCTION_NODE, function_meta, function_methods, function_fields);
  define_object(L, GP_CYCLE_NODE, cycle_meta, cycle_methods, cycle_fields);
  define_object(L, GP_ARC, arc_meta, none, arc_fields);
  lua_pop(L, 3);
}
