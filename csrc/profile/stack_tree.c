/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured stacks of a profile, from the callers down. */
#include "profile/stack_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"

void gp_stack_tree_init(gp_stack_tree *tree) {
  memset(tree, 0, sizeof *tree);
  gp_pairs_init(&tree->own);
  tree->stacks = &tree->own;
}

void gp_stack_tree_free(gp_stack_tree *tree) {
  gp_pairs_free(&tree->own);
  free(tree->total);
  free(tree->first);
  free(tree->child);
  gp_stack_tree_init(tree);
}

/* --- parts of stacks -------------------------------------------------------- */

/* Adds the parts of all stacks from the outermost call of a function on. `node` has room
 * for the node of each row; 0 if the row is above that call. */
static bool add_below(gp_stacks *own, const gp_stacks *stacks, uint32_t function,
                      uint32_t *node) {
  for (size_t i = 0; i < stacks->count; i++) {
    uint64_t caller = stacks->first[i];
    uint32_t above = caller > 0 ? node[caller - 1] : 0;
    node[i] = 0;
    if (above == 0 && stacks->second[i] != function) continue;
    uint32_t row = gp_pairs_row(own, above, stacks->second[i]);
    if (row == GP_NONE) return false;
    own->amount[row] += stacks->amount[i];
    node[i] = row + 1;
  }
  return true;
}

static bool copy_parts(gp_stack_tree *tree, const gp_stacks *stacks, const uint32_t *from,
                       size_t count) {
  uint32_t *node = gp_column(stacks->count, sizeof *node);
  bool done = node != NULL;
  for (size_t i = 0; done && i < count; i++)
    done = add_below(&tree->own, stacks, from[i], node);
  free(node);
  return done;
}

/* --- the tree ----------------------------------------------------------------- */

/* Lists the children of each node. */
static void list_children(gp_stack_tree *tree) {
  uint32_t nodes = gp_stack_tree_nodes(tree), *first = tree->first;
  for (uint32_t n = 1; n <= nodes; n++) first[gp_stack_tree_above(tree, n) + 1]++;
  for (uint32_t n = 0; n <= nodes; n++) first[n + 1] += first[n];
  for (uint32_t n = nodes; n > 0; n--)
    tree->child[--first[gp_stack_tree_above(tree, n) + 1]] = n;
  /* each entry is now the start of the children of the node before it */
  memmove(first, first + 1, (nodes + 1) * sizeof *first);
  first[nodes + 1] = nodes;
}

bool gp_stack_tree_build(gp_stack_tree *tree, const gp_stacks *stacks,
                         const uint32_t *from, size_t count) {
  if (count > 0 && !copy_parts(tree, stacks, from, count)) return false;
  if (count == 0) tree->stacks = stacks;
  size_t nodes = gp_stack_tree_nodes(tree);
  tree->total = gp_column(nodes + 1, sizeof *tree->total);
  tree->first = gp_column(nodes + 2, sizeof *tree->first);
  tree->child = gp_column(nodes, sizeof *tree->child);
  if (!tree->total || !tree->first || !tree->child) return false;
  for (uint32_t n = gp_stack_tree_nodes(tree); n > 0; n--) {
    tree->total[n] += gp_stack_tree_self(tree, n);
    tree->total[gp_stack_tree_above(tree, n)] += tree->total[n];
  }
  list_children(tree);
  return true;
}

static bool is_before(const void *context, uint32_t b, uint32_t a) {
  const gp_stack_tree *tree = context;
  if (tree->total[b] != tree->total[a]) return tree->total[b] > tree->total[a];
  return gp_stack_tree_function(tree, b) < gp_stack_tree_function(tree, a);
}

bool gp_stack_tree_children(gp_stack_tree *tree, uint32_t node, const uint32_t **children,
                            size_t *count) {
  uint32_t *list = tree->child + tree->first[node];
  *children = list;
  *count = tree->first[node + 1] - tree->first[node];
  return gp_sort(list, *count, is_before, tree);
}
