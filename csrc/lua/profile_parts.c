/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Iterators over the functions, cycles and arcs of a profile, and lookups, for Lua. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lua/iteration.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/profile.h"
#include "lua/profile_fields.h"

/* --- all parts ---------------------------------------------------------------- */

/* Returns a copy of a list: an array of `*count` numbers. NULL if there is no memory, or
 * was none for the list. */
static uint32_t *copy_of(const gp_rows *rows, size_t *count) {
  uint32_t *copy = rows->row ? gp_column(rows->count, sizeof *copy) : NULL;
  *count = rows->count;
  if (copy) memcpy(copy, rows->row, rows->count * sizeof *copy);
  return copy;
}

/* Returns the functions sorted by name, or by self time and then name. Names are compared
 * only once. */
static uint32_t *sorted_functions(gp_profile_box *box, bool by_self, size_t *count) {
  const gp_callgraph *graph = &box->profile->graph;
  if (!box->by_name.row)
    box->by_name.row = gp_order_functions(graph, GP_BY_NAME, &box->by_name.count);
  uint32_t *sorted = copy_of(&box->by_name, count);
  if (!by_self || !sorted || gp_order_by_self(graph, sorted, *count)) return sorted;
  free(sorted);
  return NULL;
}

/* Leaves out functions without samples. */
static void keep_sampled(const gp_callgraph *graph, gp_rows *rows) {
  size_t kept = 0;
  for (size_t i = 0; i < rows->count && rows->row; i++)
    if (graph->self[rows->row[i]] > 0) rows->row[kept++] = rows->row[i];
  rows->count = kept;
}

/* Pushes an iteration over parts of the profile at stack index 1. Returns the profile's
 * graph. It is looked up last: allocation can run a finalizer that closes the profile. */
static const gp_callgraph *push_iteration(lua_State *L, const gp_part_kind *kind,
                                          int order, gp_iteration **each) {
  gp_check_profile(L, 1);
  *each = gp_new_iteration(L, kind, 1, order);
  return &gp_check_profile(L, 1)->graph;
}

/* profile:functions([order [, field...]]) */
static int functions(lua_State *L) {
  enum { SELF, SYMBOL, ADDRESS, SAMPLED };
  static const char *const names[] = {"self", "symbol", "address", "sampled", NULL};
  gp_iteration *each;
  gp_check_profile(L, 1);
  int order = gp_order_option(L, 2, names);
  const gp_callgraph *graph = push_iteration(L, &gp_function_parts, 2, &each);
  each->rows.row =
      order >= ADDRESS
          ? gp_order_functions(graph, GP_BY_ADDRESS, &each->rows.count)
          : sorted_functions(lua_touserdata(L, 1), order != SYMBOL, &each->rows.count);
  if (order == SAMPLED) keep_sampled(graph, &each->rows);
  return gp_return_iteration(L, order >= 0);
}

/* profile:entries([order [, field...]]): functions and cycles, in call graph order */
static int entries(lua_State *L) {
  gp_iteration *each;
  push_iteration(L, &gp_node_parts, 2, &each);
  each->rows.row = gp_order_nodes(&gp_check_profile(L, 1)->graph, &each->rows.count);
  return gp_return_iteration(L, gp_order_option(L, 2, NULL) == 0);
}

/* profile:cycles([order [, field...]]): sorted by number by default */
static int cycles(lua_State *L) {
  gp_iteration *each;
  const gp_callgraph *graph = push_iteration(L, &gp_cycle_parts, 2, &each);
  each->rows.row = gp_order_cycles(graph, &each->rows.count);
  return gp_return_iteration(L, gp_order_option(L, 2, NULL) == 0);
}

/* Returns the arcs sorted by count. They are sorted once. */
static uint32_t *arcs_by_count(gp_profile_box *box, const gp_callgraph *graph,
                               size_t *count) {
  if (!box->by_count.row)
    box->by_count.row = gp_order_arcs(graph, GP_BY_COUNT, &box->by_count.count);
  return copy_of(&box->by_count, count);
}

/* profile:arcs([order [, field...]]) */
static int arcs(lua_State *L) {
  static const char *const names[] = {"id", "count", NULL};
  gp_iteration *each;
  gp_check_profile(L, 1);
  int order = gp_order_option(L, 2, names);
  const gp_callgraph *graph = push_iteration(L, &gp_arc_parts, 2, &each);
  each->rows.row = order == 1
                       ? arcs_by_count(lua_touserdata(L, 1), graph, &each->rows.count)
                       : gp_order_arcs(graph, GP_BY_CREATION, &each->rows.count);
  return gp_return_iteration(L, order >= 0);
}

/* --- around a node ------------------------------------------------------------ */

/* Rows around a node: arcs into it, arcs out of it, members of a cycle (each in the order
 * of the node's call graph entry), lines of a function. */
typedef enum neighbours { CALLERS, CALLEES, MEMBERS, LINES } neighbours;

void gp_check_lines(lua_State *L, const gp_callgraph *graph) {
  if (!graph->symtab->lines)
    luaL_error(L, "not a profile by line: create it with the option 'line'");
}

/* Pushes the iterator for a generic `for` over the neighbours of a node of the profile at
 * stack index 1. `order` is the stack index of the order argument; field names follow
 * it. */
static int iterate_around(lua_State *L, neighbours what, uint32_t node, int order) {
  static const struct {
    const gp_part_kind *kind;
    bool (*order)(const gp_callgraph *graph, uint32_t node, gp_rows *rows);
  } lists[] = {
      [CALLERS] = {&gp_arc_parts, gp_order_callers},
      [CALLEES] = {&gp_arc_parts, gp_order_callees},
      [MEMBERS] = {&gp_function_parts, gp_order_members},
      [LINES] = {&gp_function_parts, gp_order_lines},
  };
  gp_iteration *each;
  if (what == LINES) gp_check_lines(L, &gp_check_profile(L, 1)->graph);
  const gp_callgraph *graph = push_iteration(L, lists[what].kind, order, &each);
  if (!lists[what].order(graph, node, &each->rows)) return gp_raise_no_memory(L);
  return gp_return_iteration(L, gp_order_option(L, order, NULL) == 0);
}

/* Upvalues: the profile, the symbol, the next block. */
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

/* Pushes an iterator over address and executions of the basic blocks of a function or
 * line, in the order of the data. `profile` is a stack index. */
static int push_blocks(lua_State *L, int profile, uint32_t symbol) {
  const gp_block_counts *blocks = &gp_check_profile(L, profile)->blocks;
  lua_pushvalue(L, profile);
  lua_pushinteger(L, symbol);
  lua_pushinteger(L, blocks->count > 0 ? blocks->start[symbol] : 0);
  lua_pushcclosure(L, next_block, 3);
  return 1;
}

/* Pushes what iterators over trees return of a row: its number, from 1; the number of
 * the row above, or 0; and the number of its function. Advances upvalue 2, the row. */
static void push_tree_row(lua_State *L, const gp_pairs *rows, lua_Integer row) {
  lua_pushinteger(L, row + 1);
  lua_copy(L, -1, lua_upvalueindex(2));
  lua_pushinteger(L, (lua_Integer)rows->first[row]);
  lua_pushinteger(L, (lua_Integer)rows->second[row] + 1);
}

/* Upvalues: the profile, the next row. */
static int next_stack(lua_State *L) {
  const gp_stacks *stacks = &gp_check_profile(L, lua_upvalueindex(1))->stacks;
  lua_Integer row = lua_tointeger(L, lua_upvalueindex(2));
  if ((size_t)row >= stacks->count) return 0;
  push_tree_row(L, stacks, row);
  lua_pushinteger(L, (lua_Integer)stacks->amount[row]);
  return 4;
}

/* profile:stacks() -> iterator over the nodes of the measured call tree, callers first:
 * number, number of the caller's node (0: none), number of the function, ticks in its own
 * code */
static int stacks(lua_State *L) {
  gp_check_profile(L, 1);
  lua_settop(L, 1);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_stack, 2);
  return 1;
}

/* Upvalues: the profile, the next row. */
static int next_inlined(lua_State *L) {
  const gp_inlined_ticks *trees =
      gp_check_profile(L, lua_upvalueindex(1))->samples.trees;
  lua_Integer row = lua_tointeger(L, lua_upvalueindex(2));
  if (!trees || (size_t)row >= trees->nodes.count) return 0;
  push_tree_row(L, &trees->nodes, row);
  lua_pushnumber(L, trees->ticks[row]);
  return 4;
}

/* profile:inlined_code() -> iterator over compiled functions and what was inlined into
 * them, outer ones first: number, number of the node into which it was inlined (0: none),
 * number of the function, ticks in its own code */
static int inlined_code(lua_State *L) {
  gp_check_profile(L, 1);
  lua_settop(L, 1);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_inlined, 2);
  return 1;
}

/* --- by number ---------------------------------------------------------------- */

/* Returns argument 2, the number of a node, as a row: first <= row < end. */
static uint32_t check_node(lua_State *L, size_t first, size_t end) {
  lua_Integer id = luaL_checkinteger(L, 2);
  luaL_argcheck(L, id > (lua_Integer)first && id <= (lua_Integer)end, 2,
                "no function or cycle with this number");
  return (uint32_t)(id - 1);
}

/* Iterates over neighbours of the node with the number in argument 2, sorted by
 * argument 3. */
static int around_number(lua_State *L, neighbours what) {
  const gp_callgraph *graph = &gp_check_profile(L, 1)->graph;
  return iterate_around(L, what, check_node(L, 0, graph->functions + graph->cycles), 3);
}

/* profile:callers(id [, order [, field...]]): like function:callers and cycle:callers,
 * but takes a number, so that no object is created. For the same reason, the four
 * functions below take a number. */
static int callers(lua_State *L) { return around_number(L, CALLERS); }

/* profile:callees(id [, order [, field...]]): like function:callees and cycle:callees */
static int callees(lua_State *L) { return around_number(L, CALLEES); }

/* profile:lines(id [, order [, field...]]): like function:lines */
static int lines(lua_State *L) {
  uint32_t function = check_node(L, 0, gp_check_profile(L, 1)->graph.functions);
  return iterate_around(L, LINES, function, 3);
}

/* profile:members(id [, order [, field...]]): like cycle:members */
static int members(lua_State *L) {
  const gp_callgraph *graph = &gp_check_profile(L, 1)->graph;
  uint32_t cycle = check_node(L, graph->functions, graph->functions + graph->cycles);
  return iterate_around(L, MEMBERS, cycle, 3);
}

/* profile:blocks(id): like function:blocks */
static int blocks(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  return push_blocks(L, 1, check_node(L, 0, profile->graph.functions));
}

/* Returns argument 2, the number of a function or cycle, as a row; a Lua error for the
 * cold part of a function, which has no entry. */
static uint32_t check_whole(lua_State *L, const gp_callgraph *graph) {
  uint32_t id = check_node(L, 0, graph->functions + graph->cycles);
  luaL_argcheck(L, !gp_callgraph_is_part(graph, id), 2, "part of another function");
  return id;
}

/* profile:node(id) -> function or cycle */
static int node(lua_State *L) {
  gp_push_node(L, 1, check_whole(L, &gp_check_profile(L, 1)->graph));
  return 1;
}

/* Returns an element of the array at index 2, the number of a function, as a row. */
static uint32_t function_at(lua_State *L, lua_Integer place, size_t functions) {
  int is_integer;
  lua_rawgeti(L, 2, place);
  lua_Integer id = lua_tointegerx(L, -1, &is_integer);
  lua_pop(L, 1);
  luaL_argcheck(L, is_integer && id >= 1 && (lua_Unsigned)id <= functions, 2,
                "numbers of functions expected");
  return (uint32_t)(id - 1);
}

/* Pushes an array of the values of a field, whose name is at index `name`. */
static void push_column(lua_State *L, size_t functions, int name) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  gp_part p = {L, &gp_function_parts, NULL, 0, 1};
  lua_getfield(L, LUA_REGISTRYINDEX, p.kind->fields);
  const gp_field *field = gp_check_field(L, name);
  lua_pop(L, 1);
  lua_createtable(L, (int)count, 0);
  p.owner = gp_check_profile(L, 1);
  for (lua_Integer i = 1; i <= count; i++) {
    p.id = function_at(L, i, functions);
    gp_push_field(&p, field);
    lua_rawseti(L, -2, i);
  }
}

/* profile:columns(ids, field...) -> an array for each field, with the values of
 * functions */
static int columns(lua_State *L) {
  size_t functions = gp_check_profile(L, 1)->graph.functions;
  luaL_checktype(L, 2, LUA_TTABLE);
  int last = lua_gettop(L);
  luaL_checkstack(L, last + 8, "too many fields");
  for (int name = 3; name <= last; name++) push_column(L, functions, name);
  return last - 2;
}

/* profile:get(id, field...) -> values of fields of a function or cycle */
static int get(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  uint32_t id = check_whole(L, &profile->graph);
  bool cycle = id >= profile->graph.functions;
  gp_part p = {L, cycle ? &gp_cycle_parts : &gp_function_parts, profile, id, 1};
  return gp_push_fields(L, &p, 3);
}

/* --- by address --------------------------------------------------------------- */

/* profile:lookup(address [, field...]) -> the function at an address, or the values of
 * its fields; or nil */
static int lookup(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  uint64_t address = (uint64_t)luaL_checkinteger(L, 2);
  uint32_t function = gp_symtab_find(profile->symtab, address);
  gp_part p = {L, &gp_function_parts, profile, function, 1};
  if (function != GP_NONE && lua_gettop(L) > 2) return gp_push_fields(L, &p, 3);
  if (function == GP_NONE) {
    gp_check_fields(L, &gp_function_parts, 3);
    lua_pushnil(L);
  } else {
    gp_push_node(L, 1, function);
  }
  return 1;
}

/* profile:uncovered_range() -> first address, last address, time and function of the
 * range that has the most time outside symbols; or nil. The time is attributed to that
 * function. */
static int uncovered_range(lua_State *L) {
  const gp_profile *profile = gp_check_profile(L, 1);
  const gp_unattributed *unattributed = &profile->unattributed;
  if (unattributed->most == 0) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, (lua_Integer)unattributed->range.low);
  lua_pushinteger(L, (lua_Integer)unattributed->range.high - 1);
  lua_pushnumber(L, gp_profile_seconds(profile, unattributed->most));
  gp_push_node(L, 1, unattributed->function);
  return 4;
}

/* --- methods of functions and cycles ------------------------------------------ */

/* Iterates over neighbours of argument 1, sorted by argument 2. */
static int around_part(lua_State *L, const char *metatable, neighbours what) {
  gp_part p = gp_check_part(L, metatable);
  lua_replace(L, 1);  /* the profile replaces its part */
  return iterate_around(L, what, p.id, 2);
}

/* Defines the method `name` of an object with a metatable. */
#define AROUND(name, metatable, what) \
  static int name(lua_State *L) { return around_part(L, metatable, what); }

/* function:callers([order [, field...]]): arcs into it; callees: arcs out of it; lines:
 * all its lines, the first one included */
AROUND(function_callers, GP_FUNCTION_NODE, CALLERS)
AROUND(function_callees, GP_FUNCTION_NODE, CALLEES)
AROUND(function_lines, GP_FUNCTION_NODE, LINES)

/* cycle:members([order [, field...]]): its functions; callers: arcs from functions
 * outside the cycle to its members; callees: arcs from its members to functions
 * outside it */
AROUND(cycle_members, GP_CYCLE_NODE, MEMBERS)
AROUND(cycle_callers, GP_CYCLE_NODE, CALLERS)
AROUND(cycle_callees, GP_CYCLE_NODE, CALLEES)

/* function:blocks() -> iterator over address and executions of its basic blocks */
static int function_blocks(lua_State *L) {
  gp_part p = gp_check_part(L, GP_FUNCTION_NODE);
  return push_blocks(L, p.whole, p.id);
}

void gp_define_profile_parts(lua_State *L) {
  static const luaL_Reg of_profile[] = {
      {"functions", functions}, {"entries", entries}, {"cycles", cycles}, {"arcs", arcs},
      {"callers", callers}, {"callees", callees}, {"members", members}, {"lines", lines},
      {"blocks", blocks}, {"stacks", stacks},
      {"inlined_code", inlined_code}, {"node", node}, {"get", get},
      {"columns", columns},
      {"lookup", lookup}, {"uncovered_range", uncovered_range}, {NULL, NULL}};
  static const luaL_Reg of_function[] = {
      {"callers", function_callers}, {"callees", function_callees},
      {"lines", function_lines}, {"blocks", function_blocks}, {NULL, NULL}};
  static const luaL_Reg of_cycle[] = {
      {"members", cycle_members}, {"callers", cycle_callers}, {"callees", cycle_callees},
      {NULL, NULL}};
  gp_define_methods(L, GP_PROFILE, of_profile);
  gp_define_methods(L, GP_FUNCTION_NODE, of_function);
  gp_define_methods(L, GP_CYCLE_NODE, of_cycle);
  gp_share_members(L, GP_FUNCTION_NODE, GP_CYCLE_NODE);
}
