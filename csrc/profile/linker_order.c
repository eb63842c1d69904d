/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Link orders that put callers and callees close together. */
#include "profile/linker_order.h"

#include "base/array.h"
#include "base/sort.h"

/* Fractions of all calls. The search for hot functions uses only the first arcs that
 * together have the fraction HOT_CALLS of all calls. The first round of chains uses
 * MOST_CALLS in the same way, the second round ALL_CALLS. */
static const double HOT_CALLS = 0.9, MOST_CALLS = 0.99, ALL_CALLS = 1;

/* Of the functions that were called, at most one in HOT_SHARE is hot. The search stops at
 * functions with exactly TOO_FEW_USES callers. */
enum { HOT_SHARE = 80, TOO_FEW_USES = 5 };

/* --- arcs and lists ------------------------------------------------------------ */

bool gp_linker_arcs_add(gp_linker_arcs *arcs, uint32_t caller, uint32_t callee,
                        double calls, uint32_t created) {
  size_t row = arcs->count;
  if (caller == callee) return true;
  if (!GP_RESERVE(&arcs->capacity, row + 1, GP_COLUMN(arcs->caller),
                  GP_COLUMN(arcs->callee), GP_COLUMN(arcs->calls),
                  GP_COLUMN(arcs->created)))
    return false;
  uint32_t highest = caller > callee ? caller : callee;
  if (highest >= arcs->nodes) arcs->nodes = highest + 1;
  arcs->caller[row] = caller;
  arcs->callee[row] = callee;
  arcs->calls[row] = calls;
  arcs->created[row] = created;
  arcs->count++;
  return true;
}

bool gp_linker_arcs_read(gp_linker_arcs *arcs, const gp_callgraph *graph) {
  size_t count;
  uint32_t *rows = gp_order_arcs(graph, GP_BY_COUNT, &count);
  bool done = rows != NULL;
  for (size_t i = 0; done && i < count; i++)
    done = gp_linker_arcs_add(arcs, graph->caller[rows[i]], graph->callee[rows[i]],
                              (double)graph->count[rows[i]], rows[i]);
  free(rows);
  return done;
}

void gp_linker_arcs_free(gp_linker_arcs *arcs) {
  free(arcs->caller);
  free(arcs->callee);
  free(arcs->calls);
  free(arcs->created);
  *arcs = (gp_linker_arcs){0};
}

static bool append(gp_rows *list, uint32_t row) {
  if (!GP_RESERVE(&list->capacity, list->count + 1, GP_COLUMN(list->row))) return false;
  list->row[list->count++] = row;
  return true;
}

/* --- chains -------------------------------------------------------------------- */

/* A chain grows only at its ends, and chains are never joined. So the position of a node,
 * one less or one more than its neighbour's, never changes. The distances to both ends
 * follow from it, without walking the chain. */
typedef struct chains {
  uint32_t count;
  uint32_t *front, *back;  /* of each chain */
  uint32_t *of;            /* of each node: its chain, or GP_NONE */
  uint32_t *following;     /* of each node: the next in its chain, or GP_NONE */
  int64_t *position;       /* of each node */
} chains;

static void prepend_node(chains *c, uint32_t chain, uint32_t node) {
  uint32_t front = c->front[chain];
  c->of[node] = chain;
  c->position[node] = c->position[front] - 1;
  c->following[node] = front;
  c->front[chain] = node;
}

static void append_node(chains *c, uint32_t chain, uint32_t node) {
  uint32_t back = c->back[chain];
  c->of[node] = chain;
  c->position[node] = c->position[back] + 1;
  c->following[node] = GP_NONE;
  c->following[back] = c->back[chain] = node;
}

/* Returns how many more nodes are before a node in its chain than after it. */
static int64_t imbalance(const chains *c, uint32_t node) {
  uint32_t chain = c->of[node];
  return 2 * c->position[node] - c->position[c->front[chain]] -
         c->position[c->back[chain]];
}

/* Links caller and callee. If neither is in a chain, they form a new one. If one of them
 * is in a chain, the other goes to the nearer end of that chain; if both ends are equally
 * near, a caller goes to the front, and a callee to the back. If both are in chains,
 * nothing changes. */
static void link_nodes(chains *c, uint32_t caller, uint32_t callee) {
  uint32_t callers = c->of[caller], callees = c->of[callee];
  if (callers != GP_NONE && callees != GP_NONE) return;
  if (callees != GP_NONE) {
    if (imbalance(c, callee) <= 0)
      prepend_node(c, callees, caller);
    else
      append_node(c, callees, caller);
  } else if (callers != GP_NONE) {
    if (imbalance(c, caller) >= 0)
      append_node(c, callers, callee);
    else
      prepend_node(c, callers, callee);
  } else {
    uint32_t chain = c->count++;
    c->of[caller] = chain;
    c->position[caller] = 0;
    c->front[chain] = c->back[chain] = caller;
    append_node(c, chain, callee);
  }
}

static void free_chains(chains *c) {
  free(c->front);
  free(c->back);
  free(c->of);
  free(c->following);
  free(c->position);
}

static bool open_chains(chains *c, uint32_t nodes) {
  *c = (chains){.front = gp_column(nodes / 2, sizeof *c->front),
                .back = gp_column(nodes / 2, sizeof *c->back),
                .of = gp_column(nodes, sizeof *c->of),
                .following = gp_column(nodes, sizeof *c->following),
                .position = gp_column(nodes, sizeof *c->position)};
  if (c->of) memset(c->of, 0xff, nodes * sizeof *c->of);
  return c->front && c->back && c->of && c->following && c->position;
}

/* --- rounds -------------------------------------------------------------------- */

typedef struct state {
  const gp_linker_arcs *arcs;
  uint32_t nodes;     /* one more than the highest node */
  bool *excluded;     /* of each arc: it is not linked */
  bool *settled;      /* of each node: it is placed, or takes no part in rounds */
  gp_rows *order;     /* the nodes placed so far */
} state;

static bool place(state *s, uint32_t node) {
  s->settled[node] = true;
  return append(s->order, node);
}

/* Whether caller and callee of an arc are not settled yet. */
static bool is_open(const state *s, uint32_t arc) {
  return !s->settled[s->arcs->caller[arc]] && !s->settled[s->arcs->callee[arc]];
}

static double sum_calls(const gp_linker_arcs *arcs, const gp_rows *list) {
  double total = 0;
  for (size_t i = 0; i < list->count; i++) total += arcs->calls[list->row[i]];
  return total;
}

/* Links arcs from the start of a list, until they make up a given fraction of the list's
 * calls. */
static void make_chains(const state *s, const gp_rows *list, double fraction,
                        chains *c) {
  double total = sum_calls(s->arcs, list), running = 0;
  for (size_t i = 0; i < list->count; i++) {
    uint32_t arc = list->row[i];
    running += s->arcs->calls[arc];
    if (running / total > fraction) return;
    if (!s->excluded[arc] && is_open(s, arc))
      link_nodes(c, s->arcs->caller[arc], s->arcs->callee[arc]);
  }
}

/* For each arc of a list, places the chain that contains the caller of the arc, unless
 * caller or callee is settled. */
static bool place_chains(state *s, const gp_rows *list, const chains *c) {
  for (size_t i = 0; i < list->count; i++) {
    uint32_t chain = c->of[s->arcs->caller[list->row[i]]];
    if (chain == GP_NONE || !is_open(s, list->row[i])) continue;
    for (uint32_t n = c->front[chain]; n != GP_NONE; n = c->following[n])
      if (!place(s, n)) return false;
  }
  return true;
}

/* Makes the chains of a list of arcs, and places them. */
static bool run_round(state *s, const gp_rows *list, double fraction) {
  chains c;
  bool done = open_chains(&c, s->nodes);
  if (done) make_chains(s, list, fraction, &c);
  done = done && place_chains(s, list, &c);
  free_chains(&c);
  return done;
}

/* Removes the arcs from a list that another round cannot link. */
static void keep_remaining(const state *s, gp_rows *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++)
    if (!s->excluded[list->row[i]] && is_open(s, list->row[i]))
      list->row[kept++] = list->row[i];
  list->count = kept;
}

static bool place_unsettled(state *s, const gp_rows *nodes) {
  for (size_t i = 0; i < nodes->count; i++)
    if (!s->settled[nodes->row[i]] && !place(s, nodes->row[i])) return false;
  return true;
}

/* --- hot functions ------------------------------------------------------------- */

/* Counts the arcs into each node, among the first arcs that make up HOT_CALLS of all
 * calls. */
static uint32_t *count_uses(const state *s, const gp_rows *every) {
  uint32_t *uses = gp_column(s->nodes, sizeof *uses);
  double total = sum_calls(s->arcs, every), running = 0;
  for (size_t i = 0; uses && i < every->count; i++) {
    running += s->arcs->calls[i];
    if (running / total > HOT_CALLS) break;
    uses[s->arcs->callee[i]]++;
  }
  return uses;
}

static bool is_used_more(const void *uses, uint32_t b, uint32_t a) {
  return ((const uint32_t *)uses)[b] > ((const uint32_t *)uses)[a];
}

/* Lists the hot nodes: the first ones by uses, descending; equal ones keep their
 * order. */
static bool find_hot(const state *s, const gp_rows *every, const gp_rows *called,
                     gp_rows *hot) {
  size_t most = called->count / HOT_SHARE;
  uint32_t *uses = count_uses(s, every);
  bool done = uses != NULL;
  for (size_t i = 0; done && i < called->count; i++) done = append(hot, called->row[i]);
  done = done && gp_sort(hot->row, hot->count, is_used_more, uses);
  size_t count = 0;
  while (done && count < hot->count && count < most &&
         uses[hot->row[count]] != TOO_FEW_USES)
    count++;
  hot->count = count;
  free(uses);
  return done;
}

static bool is_younger(const void *arcs, uint32_t b, uint32_t a) {
  const gp_linker_arcs *all = arcs;
  return all->created[b] > all->created[a];
}

/* Lists the arcs into or out of hot nodes, the last created first. `place_of` has, for
 * each node, its place among the hot ones, or GP_NONE. */
static bool youngest_first(const gp_linker_arcs *arcs, const uint32_t *place_of,
                           gp_rows *list) {
  for (uint32_t arc = 0; arc < arcs->count; arc++)
    if ((place_of[arcs->caller[arc]] != GP_NONE ||
         place_of[arcs->callee[arc]] != GP_NONE) && !append(list, arc))
      return false;
  return gp_sort(list->row, list->count, is_younger, arcs);
}

/* Sets the lists that an arc is in. Returns their number. Each hot node has two, in
 * order: the arcs out of it, and those into it. */
static int lists_of(const gp_linker_arcs *arcs, const uint32_t *place_of, uint32_t arc,
                    uint32_t lists[2]) {
  uint32_t caller = place_of[arcs->caller[arc]], callee = place_of[arcs->callee[arc]];
  int count = 0;
  if (caller != GP_NONE) lists[count++] = 2 * caller;
  if (callee != GP_NONE) lists[count++] = 2 * callee + 1;
  return count;
}

/* Lists the arcs of hot nodes, node by node: first those out of the node, then those into
 * it, each with the last created first. An arc between two hot nodes is listed twice. */
static bool list_by_node(const gp_linker_arcs *arcs, const uint32_t *place_of,
                         size_t hot, const gp_rows *young, gp_rows *list) {
  uint32_t lists[2];
  size_t *start = gp_column(2 * hot + 2, sizeof *start);
  if (!start) return false;
  for (size_t i = 0; i < young->count; i++)
    for (int j = lists_of(arcs, place_of, young->row[i], lists); j-- > 0;)
      start[lists[j] + 1]++;
  for (size_t l = 1; l < 2 * hot + 2; l++) start[l] += start[l - 1];
  list->count = start[2 * hot];
  list->row = gp_column(list->count, sizeof *list->row);
  for (size_t i = 0; list->row && i < young->count; i++)
    for (int j = lists_of(arcs, place_of, young->row[i], lists); j-- > 0;)
      list->row[start[lists[j]]++] = young->row[i];
  free(start);
  return list->row != NULL;
}

/* Lists the arcs of hot nodes; see list_by_node. */
static bool arcs_of(const state *s, const gp_rows *hot, gp_rows *list) {
  gp_rows young = {0};
  uint32_t *place_of = gp_column(s->nodes, sizeof *place_of);
  if (place_of) memset(place_of, 0xff, s->nodes * sizeof *place_of);
  for (size_t i = 0; place_of && i < hot->count; i++)
    place_of[hot->row[i]] = (uint32_t)i;
  bool done = place_of && youngest_first(s->arcs, place_of, &young) &&
              list_by_node(s->arcs, place_of, hot->count, &young, list);
  gp_rows_free(&young);
  free(place_of);
  return done;
}

static bool has_more_calls(const void *arcs, uint32_t b, uint32_t a) {
  const gp_linker_arcs *all = arcs;
  return all->calls[b] > all->calls[a];
}

/* Excludes the arcs of hot nodes from rounds. Lists the arcs between two settled nodes
 * (hot, or not called), in descending order of calls; these nodes are then no longer
 * settled. */
static bool exclude_arcs(state *s, const gp_rows *hot, gp_rows *joining) {
  gp_rows list = {0};
  bool done = arcs_of(s, hot, &list);
  for (size_t i = 0; done && i < list.count; i++) {
    uint32_t arc = list.row[i];
    bool *caller = &s->settled[s->arcs->caller[arc]];
    bool *callee = &s->settled[s->arcs->callee[arc]];
    s->excluded[arc] = true;
    if (!*caller || !*callee) continue;
    done = append(joining, arc);
    *caller = *callee = false;
  }
  gp_rows_free(&list);
  return done && gp_sort(joining->row, joining->count, has_more_calls, s->arcs);
}

/* Places the hot nodes that are still settled, then the callers of the arcs that
 * exclude_arcs lists. If `faulty`, the last hot node is skipped, as GNU gprof does by
 * mistake. */
static bool place_listed(state *s, const gp_rows *hot, const gp_rows *joining,
                         bool faulty) {
  for (size_t i = 0; i < hot->count; i++) {
    if (faulty && i + 1 == hot->count) break;
    if (s->settled[hot->row[i]] && !place(s, hot->row[i])) return false;
  }
  for (size_t i = 0; i < joining->count; i++)
    if (is_open(s, joining->row[i]) && !place(s, s->arcs->caller[joining->row[i]]))
      return false;
  return true;
}

static bool place_hot(state *s, const gp_rows *every, const gp_rows *called,
                      bool faulty) {
  gp_rows hot = {0}, joining = {0};
  bool done = find_hot(s, every, called, &hot);
  for (size_t i = 0; done && i < hot.count; i++) s->settled[hot.row[i]] = true;
  done = done && exclude_arcs(s, &hot, &joining) &&
         place_listed(s, &hot, &joining, faulty);
  gp_rows_free(&hot);
  gp_rows_free(&joining);
  return done;
}

/* --- orders -------------------------------------------------------------------- */

static bool open_state(state *s, const uint32_t *nodes, size_t count,
                       const gp_linker_arcs *arcs, gp_rows *order) {
  *s = (state){.arcs = arcs, .nodes = arcs->nodes, .order = order};
  for (size_t i = 0; i < count; i++)
    if (nodes[i] >= s->nodes) s->nodes = nodes[i] + 1;
  s->excluded = gp_column(arcs->count, sizeof *s->excluded);
  s->settled = gp_column(s->nodes, sizeof *s->settled);
  return s->excluded && s->settled;
}

static void close_state(const state *s) {
  free(s->excluded);
  free(s->settled);
}

static bool list_all(gp_rows *every, size_t count) {
  every->row = gp_identity(count);
  every->count = count;
  return every->row != NULL;
}

/* Divides nodes into those that were called and those that were not. */
static bool partition(const state *s, const uint32_t *nodes, size_t count,
                      gp_rows *called, gp_rows *unused) {
  bool *is_called = gp_column(s->nodes, sizeof *is_called), done = is_called != NULL;
  for (size_t arc = 0; done && arc < s->arcs->count; arc++)
    if (s->arcs->calls[arc] > 0) is_called[s->arcs->callee[arc]] = true;
  for (size_t i = 0; done && i < count; i++)
    done = append(is_called[nodes[i]] ? called : unused, nodes[i]);
  free(is_called);
  return done;
}

/* Removes all but the first of equal nodes from the order. */
static bool remove_repeated(const state *s) {
  bool *seen = gp_column(s->nodes, sizeof *seen);
  size_t kept = 0;
  for (size_t i = 0; seen && i < s->order->count; i++) {
    uint32_t node = s->order->row[i];
    if (!seen[node]) s->order->row[kept++] = node;
    seen[node] = true;
  }
  s->order->count = kept;
  free(seen);
  return seen != NULL;
}

static bool place_all(state *s, gp_rows *every, const gp_rows *called,
                      const gp_rows *unused, bool faulty) {
  for (size_t i = 0; i < unused->count; i++) s->settled[unused->row[i]] = true;
  if (!place_hot(s, every, called, faulty) || !run_round(s, every, MOST_CALLS))
    return false;
  keep_remaining(s, every);
  if (!run_round(s, every, ALL_CALLS) || !place_unsettled(s, called)) return false;
  for (size_t i = 0; i < unused->count; i++)
    if (!place(s, unused->row[i])) return false;
  return faulty || remove_repeated(s);
}

bool gp_linker_order_functions(const uint32_t *nodes, size_t count,
                               const gp_linker_arcs *arcs, bool faulty, gp_rows *order) {
  state s;
  gp_rows every = {0}, called = {0}, unused = {0};
  bool done = open_state(&s, nodes, count, arcs, order) &&
              list_all(&every, arcs->count) &&
              partition(&s, nodes, count, &called, &unused) &&
              place_all(&s, &every, &called, &unused, faulty);
  gp_rows_free(&every);
  gp_rows_free(&called);
  gp_rows_free(&unused);
  close_state(&s);
  return done;
}

/* Excludes the arcs from or to nodes that are not in the list. */
static bool exclude_others(const state *s, const uint32_t *nodes, size_t count) {
  bool *known = gp_column(s->nodes, sizeof *known);
  for (size_t i = 0; known && i < count; i++) known[nodes[i]] = true;
  for (size_t arc = 0; known && arc < s->arcs->count; arc++)
    s->excluded[arc] = !known[s->arcs->caller[arc]] || !known[s->arcs->callee[arc]];
  free(known);
  return known != NULL;
}

bool gp_linker_order_files(const uint32_t *nodes, size_t count,
                           const gp_linker_arcs *arcs, gp_rows *order) {
  state s;
  gp_rows every = {0};
  bool done = open_state(&s, nodes, count, arcs, order) &&
              list_all(&every, arcs->count) && exclude_others(&s, nodes, count) &&
              run_round(&s, &every, MOST_CALLS);
  for (size_t i = 0; done && i < count; i++)
    if (!s.settled[nodes[i]]) done = place(&s, nodes[i]);
  gp_rows_free(&every);
  close_state(&s);
  return done;
}
