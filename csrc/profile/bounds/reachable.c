/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The weight that each node of a graph can reach.
 *
 * The strongly connected components are found by Tarjan's algorithm, callees before
 * callers. For each component, a set of bits says which components with weight it can
 * reach: the union of the sets of its callees. Sets are built for a few hundred
 * components with weight at a time, in one pass over the arcs, which bounds the memory.
 * For these passes, the arcs are between components, in the order in which they are used.
 * Callees get their bits first, so a later pass leaves out more components at the start.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "profile/bounds/digraph.h"

enum {
  WORDS = 8,               /* of a set, in one pass */
  BITS = WORDS * 64,
  MOST = 16384,            /* components with a bit of their own */
  AHEAD = 16               /* arcs between the one that is followed and the one whose set
                              is loaded */
};

typedef struct components {
  const gp_digraph *graph;
  size_t count;
  uint32_t *of;            /* per node: its component; GP_NONE if it has none yet */
  uint32_t *member;        /* all nodes, component by component */
  uint32_t *first;         /* per component: its first row in `member` */
  uint32_t *first_callee;  /* per component: its first row in `callee` */
  uint32_t *callee;        /* components that others call */
  double *weight;          /* per component */
  double *reach;
  size_t weighted;         /* components with weight */
  uint32_t *with_weight;   /* these components: those with a bit of their own, callees
                              before callers; then the others */
} components;

/* --- components ------------------------------------------------------------------ */

typedef struct search {
  components *c;
  uint32_t *entered;       /* order of discovery, from 1; 0 if not entered */
  uint32_t *low;           /* lowest order that can be reached, as far as it is known */
  uint32_t *path, *arc;    /* nodes from the root of the search; their next arcs */
  uint32_t *open;          /* stack of nodes without a component */
  size_t depth, opened;
  uint32_t last, members;
} search;

static void enter(search *s, uint32_t node) {
  s->entered[node] = s->low[node] = ++s->last;
  s->path[s->depth] = node;
  s->arc[s->depth++] = s->c->graph->first[node];
  s->open[s->opened++] = node;
}

/* Makes a component of the nodes that were opened since `node`. */
static void close_component(search *s, uint32_t node) {
  components *c = s->c;
  uint32_t number = (uint32_t)c->count++, member;
  c->first[number] = s->members;
  do {
    member = s->open[--s->opened];
    c->of[member] = number;
    c->member[s->members++] = member;
  } while (member != node);
  c->first[c->count] = s->members;
}

static void leave(search *s) {
  uint32_t node = s->path[--s->depth];
  if (s->low[node] == s->entered[node]) close_component(s, node);
  if (s->depth == 0) return;
  uint32_t caller = s->path[s->depth - 1];
  if (s->low[node] < s->low[caller]) s->low[caller] = s->low[node];
}

static void walk(search *s, uint32_t root) {
  const gp_digraph *graph = s->c->graph;
  enter(s, root);
  while (s->depth > 0) {
    uint32_t node = s->path[s->depth - 1], arc = s->arc[s->depth - 1]++;
    if (arc == graph->first[node + 1]) {
      leave(s);
      continue;
    }
    uint32_t to = graph->to[arc];
    if (!s->entered[to])
      enter(s, to);
    else if (s->c->of[to] == GP_NONE && s->entered[to] < s->low[node])
      s->low[node] = s->entered[to];
  }
}

static bool find_components(components *c) {
  size_t nodes = c->graph->nodes;
  search s = {.c = c};
  uint32_t **columns[] = {&s.entered, &s.low, &s.path, &s.arc, &s.open};
  bool done = true;
  for (size_t i = 0; i < 5; i++)
    done = (*columns[i] = gp_column(nodes, sizeof(uint32_t))) != NULL && done;
  for (uint32_t n = 0; done && n < nodes; n++) c->of[n] = GP_NONE;
  for (uint32_t n = 0; done && n < nodes; n++)
    if (!s.entered[n]) walk(&s, n);
  for (size_t i = 0; i < 5; i++) free(*columns[i]);
  return done;
}

/* --- weights ----------------------------------------------------------------------- */

static bool is_heavier(const void *weight, uint32_t b, uint32_t a) {
  const double *of = weight;
  return of[b] > of[a];
}

static bool is_callee(const void *unused, uint32_t b, uint32_t a) {
  (void)unused;
  return b < a;
}

/* Lists the components with weight. If they are too many, the heaviest get a bit. */
static bool list_weighted(components *c) {
  for (uint32_t i = 0; i < c->count; i++)
    if (c->weight[i] != 0) c->with_weight[c->weighted++] = i;
  return c->weighted <= MOST ||
         (gp_sort(c->with_weight, c->weighted, is_heavier, c->weight) &&
          gp_sort(c->with_weight, MOST - 1, is_callee, NULL));
}

/* A pass over the arcs, for some of the components with weight. */
typedef struct pass {
  components *c;
  uint64_t (*set)[WORDS];          /* per component */
  double (*sum)[256];              /* for each byte of a set, and each of its values: the
                                      weight of its bits */
} pass;

/* Gives bits to the components with weight from the row `begin` on. The components beyond
 * MOST share the last bit. Returns the first component with a bit; sets before it are not
 * used. */
static uint32_t assign_bits(pass *p, size_t begin) {
  components *c = p->c;
  double of_bit[BITS] = {0};
  uint32_t first = c->with_weight[begin];
  for (size_t i = begin; i < c->weighted; i++) {
    size_t bit = i < MOST ? i - begin : MOST - 1 - begin;
    if (bit >= BITS) break;
    p->set[c->with_weight[i]][bit / 64] |= UINT64_C(1) << bit % 64;
    of_bit[bit] += c->weight[c->with_weight[i]];
    if (c->with_weight[i] < first) first = c->with_weight[i];
  }
  for (size_t byte = 0; byte < BITS / 8; byte++)
    for (unsigned value = 1; value < 256; value++) {
      unsigned lowest = (unsigned)__builtin_ctz(value);
      p->sum[byte][value] = p->sum[byte][value & (value - 1)] + of_bit[8 * byte + lowest];
    }
  return first;
}

/* Lists the arcs between components. A component calls only those before it. */
static void link_components(components *c) {
  const gp_digraph *graph = c->graph;
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->count; i++) {
    c->first_callee[i] = count;
    for (uint32_t m = c->first[i]; m < c->first[i + 1]; m++) {
      uint32_t node = c->member[m];
      for (uint32_t a = graph->first[node]; a < graph->first[node + 1]; a++) {
        uint32_t callee = c->of[graph->to[a]];
        if (callee != i) c->callee[count++] = callee;
      }
    }
  }
  c->first_callee[c->count] = count;
}

/* Adds the sets of a component's callees to its own. Those before `begin` are empty. */
static void unite(pass *p, uint32_t component, uint32_t begin) {
  const components *c = p->c;
  uint64_t *set = p->set[component];
  uint32_t end = c->first_callee[component + 1], last = c->first_callee[c->count];
  for (uint32_t a = c->first_callee[component]; a < end; a++) {
    if (last - a > AHEAD) __builtin_prefetch(p->set[c->callee[a + AHEAD]]);
    if (c->callee[a] < begin) continue;
    const uint64_t *other = p->set[c->callee[a]];
    for (size_t w = 0; w < WORDS; w++) set[w] |= other[w];
  }
}

static double weight_of(const pass *p, const uint64_t *set) {
  double sum = 0;
  for (size_t w = 0; w < WORDS; w++)
    for (size_t byte = 0; set[w] >> 8 * byte != 0; byte++) {
      sum += p->sum[8 * w + byte][set[w] >> 8 * byte & 0xff];
      if (byte == 7) break;
    }
  return sum;
}

static void run_pass(pass *p, size_t begin) {
  components *c = p->c;
  memset(p->set, 0, c->count * sizeof *p->set);
  uint32_t first = assign_bits(p, begin);
  for (uint32_t i = first; i < c->count; i++) {
    unite(p, i, first);
    c->reach[i] += weight_of(p, p->set[i]);
  }
}

static bool weigh_reachable(components *c, const double *weight) {
  link_components(c);
  for (uint32_t n = 0; n < c->graph->nodes; n++) c->weight[c->of[n]] += weight[n];
  if (!list_weighted(c)) return false;
  pass p = {c, gp_column(c->count, sizeof *p.set), gp_column(BITS / 8, sizeof *p.sum)};
  bool done = p.set && p.sum;
  size_t bits = c->weighted < MOST ? c->weighted : MOST;
  for (size_t begin = 0; done && begin < bits; begin += BITS) run_pass(&p, begin);
  free(p.set);
  free(p.sum);
  return done;
}

bool gp_digraph_weigh(const gp_digraph *graph, const double *weight, double *reach) {
  size_t nodes = graph->nodes;
  components c = {.graph = graph};
  c.of = gp_column(nodes, sizeof *c.of);
  c.member = gp_column(nodes, sizeof *c.member);
  c.first = gp_column(nodes + 1, sizeof *c.first);
  c.first_callee = gp_column(nodes + 1, sizeof *c.first_callee);
  c.callee = gp_column(graph->first[nodes], sizeof *c.callee);
  c.weight = gp_column(nodes, sizeof *c.weight);
  c.reach = gp_column(nodes, sizeof *c.reach);
  c.with_weight = gp_column(nodes, sizeof *c.with_weight);
  bool done = c.of && c.member && c.first && c.first_callee && c.callee && c.weight &&
              c.reach && c.with_weight && find_components(&c) &&
              weigh_reachable(&c, weight);
  for (uint32_t n = 0; done && n < nodes; n++) reach[n] = c.reach[c.of[n]];
  void *columns[] = {c.of, c.member, c.first, c.first_callee, c.callee, c.weight, c.reach,
                     c.with_weight};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) free(columns[i]);
  return done;
}
