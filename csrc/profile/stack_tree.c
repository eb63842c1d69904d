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

/* The parts of all stacks that begin at the outermost calls of some functions. */
typedef struct parts {
  gp_stacks *own;       /* receives the parts */
  bool *topmost;        /* of each function up to `last`: parts begin there */
  uint32_t last;
  size_t *first;        /* of each row of the stacks: its first entry below; it is in as
                           many parts as topmost functions are above it */
  size_t count, capacity;
  uint32_t *top, *node; /* per entry: the topmost function, and the row's node */
} parts;

static bool find_topmost(parts *p, const uint32_t *from, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (from[i] > p->last) p->last = from[i];
  p->topmost = gp_column((size_t)p->last + 1, sizeof *p->topmost);
  for (size_t i = 0; p->topmost && i < count; i++) p->topmost[from[i]] = true;
  return p->topmost != NULL;
}

/* Adds a row of the stacks to the part that begins at `top`, below the node `above`. */
static bool add_to_part(parts *p, const gp_stacks *stacks, size_t row, uint32_t top,
                        uint32_t above) {
  uint32_t added = gp_pairs_row(p->own, above, stacks->second[row]);
  if (added == GP_NONE || !GP_RESERVE(&p->capacity, p->count + 1, GP_COLUMN(p->top),
                                      GP_COLUMN(p->node)))
    return false;
  p->own->amount[added] += stacks->amount[row];
  p->top[p->count] = top;
  p->node[p->count++] = added + 1;
  return true;
}

/* Adds a row of the stacks to the parts with its caller. If its function is topmost, and
 * was not called above, another part begins. */
static bool add_row(parts *p, const gp_stacks *stacks, size_t row) {
  uint64_t caller = stacks->first[row];
  uint32_t function = (uint32_t)stacks->second[row];
  bool begins = function <= p->last && p->topmost[function];
  p->first[row] = p->count;
  for (size_t i = caller > 0 ? p->first[caller - 1] : 0;
       caller > 0 && i < p->first[caller]; i++) {
    /* the caller's parts were added before: NOLINTNEXTLINE(clang-analyzer-core.*) */
    const uint32_t top = p->top[i];
    if (!add_to_part(p, stacks, row, top, p->node[i])) return false;
    if (top == function) begins = false;
  }
  return !begins || add_to_part(p, stacks, row, function, 0);
}

static bool copy_parts(gp_stack_tree *tree, const gp_stacks *stacks, const uint32_t *from,
                       size_t count) {
  parts p = {.own = &tree->own};
  p.first = gp_column(stacks->count + 1, sizeof *p.first);
  bool done = p.first && find_topmost(&p, from, count);
  for (size_t row = 0; done && row < stacks->count; row++)
    done = add_row(&p, stacks, row);
  free(p.topmost);
  free(p.first);
  free(p.top);
  free(p.node);
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
