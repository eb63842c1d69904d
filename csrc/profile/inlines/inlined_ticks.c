/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ticks of compiled functions, divided among the functions that were inlined. */
#include "profile/inlines/inlined_ticks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* --- nodes ----------------------------------------------------------------------- */

/* Finds the node of a function below a node, or adds it, without ticks. */
static bool find_node(gp_inlined_ticks *inlined, uint64_t above, uint32_t function,
                      uint32_t *node) {
  size_t before = inlined->nodes.count;
  *node = gp_pairs_row(&inlined->nodes, above, function);
  if (*node == GP_NONE || !GP_RESERVE(&inlined->capacity, inlined->nodes.count,
                                      GP_COLUMN(inlined->ticks)))
    return false;
  if (inlined->nodes.count > before) inlined->ticks[*node] = 0;
  return true;
}

/* A function that was inlined into itself stays in its node. */
static bool enter_frame(void *tree, uint32_t above, uint32_t outer, uint32_t symbol,
                        uint32_t *node) {
  gp_inlined_ticks *inlined = tree;
  uint32_t function = gp_symtab_owner(inlined->symtab, symbol);
  (void)outer;
  *node = above;
  if (inlined->nodes.second[above] == function) return true;
  return find_node(inlined, (uint64_t)above + 1, function, node);
}

gp_inlined_ticks *gp_inlined_ticks_new(const gp_symtab *symtab) {
  gp_inlined_ticks *inlined = gp_column(1, sizeof *inlined);
  if (!inlined) return NULL;
  inlined->symtab = symtab;
  gp_pairs_init(&inlined->nodes);
  gp_inlined_frames_init(&inlined->frames, symtab->inlining, enter_frame, inlined);
  return inlined;
}

void gp_inlined_ticks_free(gp_inlined_ticks *inlined) {
  if (!inlined) return;
  gp_inlined_frames_free(&inlined->frames);
  gp_pairs_free(&inlined->nodes);
  free(inlined->ticks);
  free(inlined);
}

bool gp_inlined_ticks_at(gp_inlined_ticks *inlined, uint32_t function, uint64_t address,
                         uint64_t *high, uint32_t *node) {
  const gp_inline_map *map = &inlined->symtab->inlining->map;
  uint64_t end = gp_inline_map_end(map, address);
  uint32_t root;
  if (end < *high) *high = end;
  if (!find_node(inlined, 0, function, &root)) return false;
  return gp_inlined_frames_enter(&inlined->frames, function, root, address, node);
}

/* --- arcs ------------------------------------------------------------------------- */

static bool is_root(const gp_inlined_ticks *inlined, size_t node) {
  return inlined->nodes.first[node] == 0;
}

static uint32_t outer_node(const gp_inlined_ticks *inlined, size_t node) {
  return (uint32_t)(inlined->nodes.first[node] - 1);
}

static uint32_t function_of(const gp_inlined_ticks *inlined, size_t node) {
  return (uint32_t)inlined->nodes.second[node];
}

bool gp_inlined_ticks_steps(const gp_inlined_ticks *inlined, gp_path_steps *steps) {
  size_t count = inlined->nodes.count;
  steps->caller = gp_column(count, sizeof *steps->caller);
  steps->callee = gp_column(count, sizeof *steps->callee);
  steps->calls = gp_column(count, sizeof *steps->calls);
  steps->inlined = gp_column(count, sizeof *steps->inlined);
  if (!steps->caller || !steps->callee || !steps->calls || !steps->inlined) return false;
  for (size_t node = 0; node < count; node++) {
    if (is_root(inlined, node)) continue;
    steps->caller[steps->count] = function_of(inlined, outer_node(inlined, node));
    steps->callee[steps->count] = function_of(inlined, node);
    steps->inlined[steps->count++] = true;
  }
  return true;
}

/* Sums for the arcs by which nodes are entered. Where functions of the same cycle are
 * inlined into each other, only the outermost enters the cycle. */
typedef struct sums {
  gp_callgraph *graph;
  uint32_t *entry;      /* for each node: the node around it, or itself, that enters its
                           function or cycle */
  double *self;         /* for each of these: ticks in the function or cycle */
  double *children;     /* the same in functions that were inlined there */
} sums;

static void find_entries(const gp_inlined_ticks *inlined, sums *s) {
  for (size_t node = 0; node < inlined->nodes.count; node++) {
    bool root = is_root(inlined, node);
    uint32_t outer = root ? GP_NONE : outer_node(inlined, node);
    bool within = !root && gp_callgraph_whole(s->graph, function_of(inlined, outer)) ==
                               gp_callgraph_whole(s->graph, function_of(inlined, node));
    s->entry[node] = within ? s->entry[outer] : (uint32_t)node;
    s->self[s->entry[node]] += inlined->ticks[node];
  }
}

/* Adds the ticks of an entry to its arc. An arc that the user excluded is not in the
 * graph, so no time passes. */
static void add_to_arc(const gp_inlined_ticks *inlined, sums *s, const gp_hash *arcs,
                       size_t node, const gp_selection *time) {
  gp_callgraph *graph = s->graph;
  uint32_t outer = outer_node(inlined, node), function = function_of(inlined, node);
  uint32_t whole = gp_callgraph_whole(graph, function);
  uint32_t arc = gp_hash_find(arcs, (gp_key){function_of(inlined, outer), function});
  graph->inlined_self[whole] += s->self[node];
  graph->inlined_children[whole] += s->children[node];
  if (arc == GP_NONE) return;
  graph->arc_self[arc] += s->self[node];
  graph->arc_children[arc] += s->children[node];
  if (!gp_is_excluded(time, function) || gp_is_included(time, function))
    s->children[s->entry[outer]] += s->self[node] + s->children[node];
}

static gp_key arc_key(const void *columns, uint32_t row) {
  const gp_callgraph *graph = columns;
  return (gp_key){graph->caller[row], graph->callee[row]};
}

static bool add_to_arcs(const gp_inlined_ticks *inlined, sums *s,
                        const gp_selection *time) {
  gp_hash arcs;
  gp_hash_init(&arcs, arc_key, s->graph);
  bool done = gp_hash_reserve(&arcs, s->graph->arcs);
  for (uint32_t arc = 0; done && arc < s->graph->arcs; arc++) gp_hash_add(&arcs, arc);
  for (size_t node = inlined->nodes.count; done && node-- > 0;)
    if (s->entry[node] == node && !is_root(inlined, node))
      add_to_arc(inlined, s, &arcs, node, time);
  gp_hash_free(&arcs);
  return done;
}

static bool allocate(const gp_inlined_ticks *inlined, sums *s) {
  gp_callgraph *graph = s->graph;
  size_t count = inlined->nodes.count, nodes = graph->functions + graph->cycles;
  s->entry = gp_column(count, sizeof *s->entry);
  s->self = gp_column(count, sizeof *s->self);
  s->children = gp_column(count, sizeof *s->children);
  graph->arc_self = gp_column(graph->arcs, sizeof *graph->arc_self);
  graph->arc_children = gp_column(graph->arcs, sizeof *graph->arc_children);
  graph->inlined_self = gp_column(nodes, sizeof *graph->inlined_self);
  graph->inlined_children = gp_column(nodes, sizeof *graph->inlined_children);
  return s->entry && s->self && s->children && graph->arc_self && graph->arc_children &&
         graph->inlined_self && graph->inlined_children;
}

bool gp_inlined_ticks_arcs(const gp_inlined_ticks *inlined, gp_callgraph *graph,
                           const gp_selection *time) {
  sums s = {.graph = graph};
  bool done = allocate(inlined, &s);
  if (done) find_entries(inlined, &s);
  done = done && add_to_arcs(inlined, &s, time);
  free(s.entry);
  free(s.self);
  free(s.children);
  return done;
}
