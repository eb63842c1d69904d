/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measured stacks of a profile, from the callers down.
 *
 * A node is a function, called through all nodes above it. Nodes have numbers from 1; 0
 * stands for the callers of the topmost nodes. Members of a cycle are nodes of their own.
 */
#ifndef GP_PROFILE_STACK_TREE_H
#define GP_PROFILE_STACK_TREE_H

#include "profile/measured.h"

typedef struct gp_stack_tree {
  const gp_stacks *stacks;  /* of the profile, or `own` */
  gp_stacks own;            /* used if only the stacks below some functions are wanted */
  uint64_t *total;          /* of each node, the ticks in it and below; 0: all ticks */
  uint32_t *first;          /* the children of node n are child[first[n]] to
                               child[first[n + 1] - 1] */
  uint32_t *child;
} gp_stack_tree;

/* Initializes an empty tree. Its address must not change afterwards. */
void gp_stack_tree_init(gp_stack_tree *tree);
void gp_stack_tree_free(gp_stack_tree *tree);

/* Builds the tree of all stacks, which must outlive it. With `count` > 0, the functions
 * in `from` are the topmost nodes, each with the parts of stacks from its outermost call
 * on. A stack counts once for each of them. False if there is no memory. */
bool gp_stack_tree_build(gp_stack_tree *tree, const gp_stacks *stacks,
                         const uint32_t *from, size_t count);

/* Sets *children to the children of a node: those with the most ticks first; of equal
 * ones, the function with the lowest number. Sets *count to their number. False if there
 * is no memory. */
bool gp_stack_tree_children(gp_stack_tree *tree, uint32_t node, const uint32_t **children,
                            size_t *count);

/* Returns the number of nodes. */
static inline uint32_t gp_stack_tree_nodes(const gp_stack_tree *tree) {
  return (uint32_t)tree->stacks->count;
}

/* Returns the node above a node; 0 if there is none. */
static inline uint32_t gp_stack_tree_above(const gp_stack_tree *tree, uint32_t node) {
  return (uint32_t)tree->stacks->first[node - 1];
}

static inline uint32_t gp_stack_tree_function(const gp_stack_tree *tree, uint32_t node) {
  return (uint32_t)tree->stacks->second[node - 1];
}

/* Returns the ticks in the node's own code. */
static inline uint64_t gp_stack_tree_self(const gp_stack_tree *tree, uint32_t node) {
  return tree->stacks->amount[node - 1];
}

#endif
