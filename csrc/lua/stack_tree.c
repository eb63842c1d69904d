/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured stacks of a profile as a tree, for Lua. */
#include "profile/stack_tree.h"

#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/profile.h"

#define GP_STACK_TREE "gprof.stack_tree"

/* The tree's user value is the profile: nodes of the tree are nodes of its stacks. */
typedef struct stack_tree_box {
  gp_stack_tree tree;
  bool open;
} stack_tree_box;

/* Returns the tree in argument 1; a Lua error if its profile is closed. */
static gp_stack_tree *check_tree(lua_State *L) {
  stack_tree_box *box = luaL_checkudata(L, 1, GP_STACK_TREE);
  luaL_argcheck(L, box->open, 1, "stack tree is closed");
  lua_getiuservalue(L, 1, 1);
  gp_open_profile(L, lua_touserdata(L, -1));
  lua_pop(L, 1);
  return &box->tree;
}

static uint32_t check_node(lua_State *L, const gp_stack_tree *tree, uint32_t least) {
  lua_Integer node = luaL_checkinteger(L, 2);
  luaL_argcheck(L, node >= least && node <= gp_stack_tree_nodes(tree), 2,
                "no node with this number");
  return (uint32_t)node;
}

/* Pushes a block with the rows of the functions in the array at stack index `index`. */
static const uint32_t *push_functions(lua_State *L, int index, size_t count) {
  uint32_t *rows = lua_newuserdatauv(L, count * sizeof *rows, 0);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    rows[i] = (uint32_t)(luaL_checkinteger(L, -1) - 1);
    lua_pop(L, 1);
  }
  return rows;
}

/* stack_tree(profile [, from]) -> tree of all measured stacks, or of those below the
 * functions with the numbers in the array `from` */
static int new_tree(lua_State *L) {
  gp_check_profile(L, 1);
  lua_settop(L, 2);
  size_t count = lua_isnil(L, 2) ? 0 : lua_rawlen(L, 2);
  const uint32_t *from = push_functions(L, 2, count);
  stack_tree_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  gp_stack_tree_init(&box->tree);
  box->open = true;
  luaL_setmetatable(L, GP_STACK_TREE);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  const gp_profile *profile = gp_check_profile(L, 1);
  if (!gp_stack_tree_build(&box->tree, &profile->stacks, from, count))
    return gp_raise_no_memory(L);
  return 1;
}

static int close_tree(lua_State *L) {
  stack_tree_box *box = luaL_checkudata(L, 1, GP_STACK_TREE);
  if (box->open) gp_stack_tree_free(&box->tree);
  box->open = false;
  return 0;
}

/* tree:below(node, least) -> the numbers of the node's children with at least this many
 * ticks, the heaviest first; the ticks in each of them and below; number of all its
 * children. Node 0 is above the topmost nodes. */
static int below(lua_State *L) {
  const uint32_t *children;
  size_t count;
  check_tree(L);
  lua_Number least = luaL_checknumber(L, 3);
  lua_newtable(L);
  lua_newtable(L);
  gp_stack_tree *tree = check_tree(L);  /* allocation can run a finalizer */
  if (!gp_stack_tree_children(tree, check_node(L, tree, 0), &children, &count))
    return gp_raise_no_memory(L);
  for (size_t i = 0; i < count && (lua_Number)tree->total[children[i]] >= least; i++) {
    lua_pushinteger(L, children[i]);
    lua_rawseti(L, -3, (lua_Integer)i + 1);
    lua_pushinteger(L, (lua_Integer)tree->total[children[i]]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, (lua_Integer)count);
  return 3;
}

/* tree:node(node) -> number of its function; ticks in its own code; ticks in it and
 * below */
static int node(lua_State *L) {
  const gp_stack_tree *tree = check_tree(L);
  uint32_t number = check_node(L, tree, 1);
  lua_pushinteger(L, (lua_Integer)gp_stack_tree_function(tree, number) + 1);
  lua_pushinteger(L, (lua_Integer)gp_stack_tree_self(tree, number));
  lua_pushinteger(L, (lua_Integer)tree->total[number]);
  return 3;
}

/* tree:above(node) -> number of its caller's node, or 0 */
static int above(lua_State *L) {
  const gp_stack_tree *tree = check_tree(L);
  lua_pushinteger(L, gp_stack_tree_above(tree, check_node(L, tree, 1)));
  return 1;
}

void gp_define_stack_tree(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__gc", close_tree}, {"__close", close_tree}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"below", below}, {"node", node}, {"above", above}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"stack_tree", new_tree}, {NULL, NULL}};
  gp_define_object(L, GP_STACK_TREE, gp_get_field, meta, methods, NULL);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
