/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a profile for Lua: functions, cycles and arcs.
 *
 * A part is known by its number. Lua gets an object for it when it asks for one, or
 * the values of some fields without it: iterators that are given names of fields make
 * no objects at all, which is what makes large reports fast.
 */
#include <stdlib.h>

#include "binding.h"

/* The object of a part; user value 1 is the profile. */
typedef struct part_box {
  profile_box *profile;
  uint32_t id;
} part_box;

/* What the fields are read from: an object's part, or an iterator's. */
typedef struct part {
  const gp_profile *profile;
  const profile_box *box;
  uint32_t id;
  int home;               /* stack index of the profile */
} part;

static part open_part(lua_State *L, const profile_box *box, uint32_t id, int home) {
  return (part){open_profile(L, box), box, id, home};
}

/* Pushes the profile of the object at index 1, and opens the object. */
static part check_part(lua_State *L, const char *metatable) {
  const part_box *box = luaL_checkudata(L, 1, metatable);
  lua_getiuservalue(L, 1, 1);
  return open_part(L, box->profile, box->id, lua_gettop(L));
}

/* --- one object for each --------------------------------------------------- */

/* Pushes the object of number `id` from the profile's table `table`, making it if
 * there is none: so that it equals itself and can be a key. */
static void push_object(lua_State *L, int profile, int table, uint32_t id,
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
  push_object(L, profile, PROFILE_OBJECTS, node, cycle ? GP_CYCLE_NODE : GP_FUNCTION_NODE);
}

static void push_arc(lua_State *L, int profile, uint32_t arc) {
  push_object(L, profile, PROFILE_ARCS, arc, GP_ARC);
}

/* object.key */
static int get_part_field(lua_State *L) {
  const part_box *box = check_self(L);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TLIGHTUSERDATA) return 1;
  const object_field *field = lua_touserdata(L, 2);
  lua_getiuservalue(L, 1, 1);
  part p = open_part(L, box->profile, box->id, 3);
  field->push(L, &p);
  return 1;
}

/* --- iteration ------------------------------------------------------------- */

#define GP_ITERATOR "gprof.iterator"

static int release_rows(lua_State *L) {
  iterator *each = luaL_checkudata(L, 1, GP_ITERATOR);
  free(each->rows);
  each->rows = NULL;
  each->count = 0;
  return 0;
}

/* Upvalue: the iteration, whose user value is the profile. */
static int next_part(lua_State *L) {
  iterator *each = lua_touserdata(L, lua_upvalueindex(1));
  if (each->done >= each->count) return 0;
  uint32_t row = each->rows[each->done++];
  lua_settop(L, 0);
  lua_getiuservalue(L, lua_upvalueindex(1), 1);
  if (each->field_count == 0) {
    each->push(L, 1, row);
    return 1;
  }
  part p = open_part(L, lua_touserdata(L, 1), row, 1);
  for (int i = 0; i < each->field_count; i++) each->fields[i]->push(L, &p);
  return each->field_count;
}

/* In the registry: a table of fields for each part_kind. */
static const char field_tables[] = "gprof.fields";

static void push_field_table(lua_State *L, part_kind kind) {
  lua_getfield(L, LUA_REGISTRYINDEX, field_tables);
  lua_rawgeti(L, -1, (lua_Integer)kind);
  lua_remove(L, -2);
}

int push_node_fields(lua_State *L, int profile, uint32_t node, int first, int last) {
  part p = open_part(L, lua_touserdata(L, profile), node, profile);
  luaL_checkstack(L, last - first + 8, "too many fields");
  push_field_table(L, node < p.profile->graph.functions ? PART_FUNCTION : PART_CYCLE);
  int table = lua_gettop(L);
  for (int i = first; i <= last; i++) {
    lua_pushvalue(L, table);
    const object_field *field = check_field(L, i);
    lua_pop(L, 1);
    field->push(L, &p);
  }
  return lua_gettop(L) - table;
}

iterator *new_iterator(lua_State *L, int profile, part_kind kind, int first, int last) {
  int count = last < first ? 0 : last - first + 1;
  luaL_checkstack(L, count + 8, "too many fields");
  iterator *each =
      lua_newuserdatauv(L, sizeof *each + (size_t)count * sizeof *each->fields, 1);
  each->rows = NULL;
  each->count = each->done = 0;
  each->push = kind == PART_ARC ? push_arc : push_node;
  each->field_count = count;
  luaL_setmetatable(L, GP_ITERATOR);
  lua_pushvalue(L, profile);
  lua_setiuservalue(L, -2, 1);
  if (count == 0) return each;
  push_field_table(L, kind);
  for (int i = 0; i < count; i++) each->fields[i] = check_field(L, first + i);
  lua_pop(L, 1);
  return each;
}

int return_iterator(lua_State *L) {
  const iterator *each = lua_touserdata(L, -1);
  if (!each->rows) return luaL_error(L, "not enough memory");
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, next_part, 1);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, -4);  /* closed when the loop is left */
  return 4;
}

static void define_iterator(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", release_rows}, {"__close", release_rows}, {NULL, NULL}};
  luaL_newmetatable(L, GP_ITERATOR);
  luaL_setfuncs(L, meta, 0);
  lua_pop(L, 1);
}

/* --- values ---------------------------------------------------------------- */

static const gp_graph *graph_of(const void *object) {
  return &((const part *)object)->profile->graph;
}

static const gp_symtab *symtab_of(const void *object) {
  return ((const part *)object)->profile->symtab;
}

static uint32_t id_of(const void *object) { return ((const part *)object)->id; }

/* The number by which Lua knows a node: from 1, as Lua counts. */
static void push_number_of(lua_State *L, uint32_t node) {
  lua_pushinteger(L, (lua_Integer)node + 1);
}

/* Ticks in the profile's unit; 0 where nothing was sampled. */
static void push_time(lua_State *L, const void *object, double ticks) {
  double rate = ((const part *)object)->profile->samples.rate;
  lua_pushnumber(L, rate != 0 ? ticks / rate : 0);
}

/* --- fields of functions and cycles ---------------------------------------- */

static void push_profile(lua_State *L, const void *object) {
  lua_pushvalue(L, ((const part *)object)->home);
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

static void push_symbol(lua_State *L, const void *object) {
  const gp_image *image = ((const part *)object)->profile->image;
  lua_pushstring(L, gp_image_plain_name(image, symtab_of(object)->name[id_of(object)]));
}

/* The name as reports show it. A mangled one is demangled once, and kept; others are
 * not worth a place in the table. */
static void push_name(lua_State *L, const void *object) {
  const part *p = object;
  char *name;
  if (!p->box->demangled) {
    push_symbol(L, object);
    return;
  }
  lua_getiuservalue(L, p->home, PROFILE_NAMES);
  if (lua_rawgeti(L, -1, p->id) == LUA_TNIL) {
    lua_pop(L, 1);
    name = gp_image_demangle(p->profile->image, p->profile->symtab->name[p->id]);
    if (name) {
      push_and_free(L, name);
      lua_pushvalue(L, -1);
      lua_rawseti(L, -3, p->id);
    } else {
      push_symbol(L, object);
    }
  }
  lua_remove(L, -2);
}

static void push_address(lua_State *L, const void *object) {
  lua_pushinteger(L, (lua_Integer)symtab_of(object)->address[id_of(object)]);
}

static void push_static(lua_State *L, const void *object) {
  lua_pushboolean(L, symtab_of(object)->flags[id_of(object)] & GP_STATIC);
}

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
  const gp_selections *selections = &((const part *)object)->profile->selections;
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

static void push_mapped(lua_State *L, const void *object) {
  lua_pushboolean(L, symtab_of(object)->flags[id_of(object)] & GP_MAPPED);
}

static bool source_of(const void *object, gp_source *source) {
  const gp_symtab *symtab = symtab_of(object);
  uint32_t id = id_of(object);
  if (symtab->files && symtab->file[id] != GP_NONE) {
    *source = (gp_source){.file = symtab->files->name[symtab->file[id]],
                          .line = symtab->line[id]};
    return true;
  }
  if (symtab->sourceless || symtab->files) return false;
  const gp_image *image = ((const part *)object)->profile->image;
  return gp_image_source(image, symtab_of(object)->address[id_of(object)], source);
}

static void push_file(lua_State *L, const void *object) {
  gp_source source;
  lua_pushstring(L, source_of(object, &source) ? source.file : NULL);
}

static void push_line(lua_State *L, const void *object) {
  gp_source source;
  if (source_of(object, &source))
    lua_pushinteger(L, source.line);
  else
    lua_pushnil(L);
}

static void push_cycle(lua_State *L, const void *object) {
  uint32_t cycle = graph_of(object)->cycle[id_of(object)];
  if (cycle == GP_NONE)
    lua_pushnil(L);
  else
    push_node(L, ((const part *)object)->home, cycle);
}

typedef uint32_t *part_order(const gp_graph *graph, uint32_t node, size_t *count);

/* Iterates over parts around a node; arguments from 2 on are names of fields. */
static int iterate(lua_State *L, const char *metatable, part_order *order, part_kind kind) {
  int last = lua_gettop(L);
  part p = check_part(L, metatable);
  iterator *each = new_iterator(L, p.home, kind, 2, last);
  each->rows = order(&p.profile->graph, p.id, &each->count);
  return return_iterator(L);
}

/* function:callers([field...]): arcs into it, in the order of its entry */
static int callers(lua_State *L) {
  return iterate(L, GP_FUNCTION_NODE, gp_order_callers, PART_ARC);
}

/* function:callees([field...]): arcs out of it, in the order of its entry */
static int callees(lua_State *L) {
  return iterate(L, GP_FUNCTION_NODE, gp_order_callees, PART_ARC);
}

static int describe_function(lua_State *L) {
  part p = check_part(L, GP_FUNCTION_NODE);
  push_name(L, &p);
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

/* cycle:members([field...]): functions, in the order of its entry */
static int members(lua_State *L) {
  return iterate(L, GP_CYCLE_NODE, gp_order_members, PART_FUNCTION);
}

static int describe_cycle(lua_State *L) {
  part p = check_part(L, GP_CYCLE_NODE);
  push_cycle_name(L, &p);
  lua_pushfstring(L, "cycle: %s", lua_tostring(L, -1));
  return 1;
}

/* --- arcs ------------------------------------------------------------------ */

static void push_caller(lua_State *L, const void *object) {
  push_node(L, ((const part *)object)->home, graph_of(object)->caller[id_of(object)]);
}

static void push_callee(lua_State *L, const void *object) {
  push_node(L, ((const part *)object)->home, graph_of(object)->callee[id_of(object)]);
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
  const gp_graph *graph = &p.profile->graph;
  lua_pushfstring(L, "arc: %s -> %s", p.profile->symtab->name[graph->caller[p.id]],
                  p.profile->symtab->name[graph->callee[p.id]]);
  return 1;
}

/* --- what there is --------------------------------------------------------- */

static const object_field node_fields[] = {
    {"profile", push_profile},
    {"id", push_id},                    /* its number, for profile:node(id) */
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

static const object_field function_fields[] = {
    {"name", push_name},        /* demangled, unless the profile says otherwise */
    {"symbol", push_symbol},    /* as in the symbol table */
    {"address", push_address},
    {"static", push_static},    /* local to its file */
    {"mapped", push_mapped},    /* stands for an object file of a map */
    {"listed", push_listed},    /* selected for the flat profile */
    {"tallied", push_tallied},  /* selected for execution counts */
    {"annotated", push_annotated},  /* selected for annotated source */
    {"file", push_file},        /* source file as recorded, or nil */
    {"line", push_line},        /* line of its entry, or nil */
    {"is_line", push_is_line},  /* is a line in the middle of a function */
    {"function_id", push_function_id},  /* the function that it is of, or itself */
    {"cycle", push_cycle},      /* the cycle it is a member of, or nil */
    {NULL, NULL}};

static const object_field cycle_fields[] = {
    {"name", push_cycle_name},  /* "<cycle 1>" */
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
      {"callers", callers}, {"callees", callees}, {NULL, NULL}};
  static const luaL_Reg cycle_meta[] = {{"__tostring", describe_cycle}, {NULL, NULL}};
  static const luaL_Reg cycle_methods[] = {{"members", members}, {NULL, NULL}};
  static const luaL_Reg arc_meta[] = {{"__tostring", describe_arc}, {NULL, NULL}};
  define_iterator(L);
  lua_newtable(L);
  lua_newtable(L);
  define_fields(L, node_fields);
  lua_rawseti(L, -2, PART_NODE);
  define_object(L, GP_FUNCTION_NODE, get_part_field, function_meta, function_methods);
  define_fields(L, node_fields);
  define_fields(L, function_fields);
  lua_rawseti(L, -2, PART_FUNCTION);
  define_object(L, GP_CYCLE_NODE, get_part_field, cycle_meta, cycle_methods);
  define_fields(L, node_fields);
  define_fields(L, cycle_fields);
  lua_rawseti(L, -2, PART_CYCLE);
  define_object(L, GP_ARC, get_part_field, arc_meta, none);
  define_fields(L, arc_fields);
  lua_rawseti(L, -2, PART_ARC);
  lua_setfield(L, LUA_REGISTRYINDEX, field_tables);
}
