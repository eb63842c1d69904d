/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes topological numbers, and finds cycles of recursive functions.
 *
 * This is the depth-first search of Gabow ("Path-based depth-first search for strong and
 * biconnected components", 2000). It is iterative, because the input decides how deep
 * call chains are. Besides the path it maintains a stack of heads: functions on the path
 * that no back edge has merged into an earlier function. A back edge to a function F
 * merges all heads after the head of F into the head of F, the earliest first. Members
 * that were merged into a head move with it. GNU gprof lists members with equal sort keys
 * in the order in which they were merged.
 */
#include "profile/cycles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/count.h"

typedef struct search {
  gp_callgraph *graph;
  uint32_t *entered;    /* per function: order of discovery, from 1; 0 if not entered */
  uint32_t *path;       /* functions from the root of the search to the current one */
  uint32_t *left;       /* for each function on the path: the end of the arcs to follow
                           in its list of callees */
  size_t depth;
  uint32_t *heads;      /* the stack of heads (see the top of this file) */
  size_t head_count;
  uint32_t *tail;       /* for each head: its last member */
  uint32_t last_entered, last_number;
} search;

static const char *name_of(const gp_callgraph *graph, uint32_t function) {
  return graph->symtab->name[function];
}

static void enter(search *s, uint32_t function) {
  s->entered[function] = ++s->last_entered;
  GP_TRACE(s->graph->symtab->trace, GP_TRACE_NUMBERING, "%s is reached at depth %zu",
           name_of(s->graph, function), s->depth + 1);
  s->path[s->depth] = function;
  s->left[s->depth++] = s->graph->callees.start[function + 1];
  s->heads[s->head_count++] = function;
  s->tail[function] = function;
}

/* Follows a back edge from the end of the path to `callee`. */
static void merge_heads(search *s, uint32_t callee) {
  size_t keep = s->head_count;
  while (s->entered[s->heads[keep - 1]] > s->entered[callee]) keep--;
  uint32_t head = s->heads[keep - 1];
  for (size_t i = keep; i < s->head_count; i++) {
    GP_TRACE(s->graph->symtab->trace, GP_TRACE_CYCLES,
             "%s and its members join %s, because %s calls %s",
             name_of(s->graph, s->heads[i]), name_of(s->graph, head),
             name_of(s->graph, s->path[s->depth - 1]), name_of(s->graph, callee));
    s->graph->next_member[s->tail[head]] = s->heads[i];
    s->tail[head] = s->tail[s->heads[i]];
  }
  s->head_count = keep;
}

/* Assigns the current number to a function. All members of a cycle get the same
 * number. */
static void number(search *s, uint32_t function) {
  s->graph->number[function] = s->last_number;
  GP_TRACE(s->graph->symtab->trace, GP_TRACE_NUMBERING, "%s is number %" PRIu32,
           name_of(s->graph, function), s->last_number);
}

/* Removes the last function from the path. If the function is a head, numbers it and its
 * members. */
static void leave(search *s) {
  gp_callgraph *graph = s->graph;
  uint32_t function = s->path[--s->depth];
  if (s->heads[s->head_count - 1] != function) return;
  s->head_count--;
  s->last_number++;
  for (uint32_t m = function; m != GP_NONE; m = graph->next_member[m])
    number(s, m);
  if (graph->next_member[function] != GP_NONE) graph->head[graph->cycles++] = function;
}

static void walk(search *s, uint32_t root) {
  const gp_arc_lists *callees = &s->graph->callees;
  enter(s, root);
  while (s->depth > 0) {
    uint32_t *left = &s->left[s->depth - 1];
    if (*left == callees->start[s->path[s->depth - 1]]) {
      leave(s);
      continue;
    }
    uint32_t callee = s->graph->callee[callees->arc[--*left]];
    if (!s->entered[callee])
      enter(s, callee);
    else if (!s->graph->number[callee])
      merge_heads(s, callee);
  }
}

static bool allocate(search *s) {
  gp_callgraph *graph = s->graph;
  size_t count = graph->functions;
  graph->number = gp_column(count, sizeof *graph->number);
  graph->cycle = gp_column(count, sizeof *graph->cycle);
  graph->next_member = gp_column(count, sizeof *graph->next_member);
  graph->head = gp_column(count / 2, sizeof *graph->head);
  s->entered = gp_column(count, sizeof *s->entered);
  s->path = gp_column(count, sizeof *s->path);
  s->left = gp_column(count, sizeof *s->left);
  s->heads = gp_column(count, sizeof *s->heads);
  s->tail = gp_column(count, sizeof *s->tail);
  if (!graph->number || !graph->cycle || !graph->next_member || !graph->head ||
      !s->entered || !s->path || !s->left || !s->heads || !s->tail)
    return false;
  memset(graph->cycle, 0xff, count * sizeof *graph->cycle);
  memset(graph->next_member, 0xff, count * sizeof *graph->next_member);
  return true;
}

static void release(search *s) {
  free(s->entered);
  free(s->path);
  free(s->left);
  free(s->heads);
  free(s->tail);
}

/* Symbol numbers are in address order. */
static int by_address(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

/* Returns the calls of a member by other members. */
static uint64_t inner_calls(const gp_callgraph *graph, uint32_t member) {
  const gp_arc_lists *callers = &graph->callers;
  uint64_t calls = 0;
  for (uint32_t i = callers->start[member]; i < callers->start[member + 1]; i++) {
    uint32_t a = callers->arc[i], caller = graph->caller[a];
    if (caller != member && gp_callgraph_same_cycle(graph, caller, member))
      calls += graph->count[a];
  }
  return calls;
}

/* Sums the calls of a cycle's members: calls from outside, and calls from other members.
 * Calls by unknown callers, which are in no arc, are from outside. */
static bool count_calls(gp_callgraph *graph, uint32_t cycle) {
  uint32_t member = graph->head[cycle - graph->functions];
  for (; member != GP_NONE; member = graph->next_member[member]) {
    uint64_t inner = inner_calls(graph, member);
    if (!gp_count_add(&graph->self_calls[cycle], inner) ||
        !gp_count_add(&graph->calls[cycle], graph->calls[member] - inner))
      return false;
  }
  return true;
}

/* Adds the cycles as nodes, in the order of their heads' addresses. */
static bool add_cycles(gp_callgraph *graph, gp_error *error) {
  size_t nodes = graph->functions + graph->cycles;
  if (!gp_resize(&graph->calls, nodes, sizeof *graph->calls) ||
      !gp_resize(&graph->self_calls, nodes, sizeof *graph->self_calls))
    return gp_fail_memory(error);
  qsort(graph->head, graph->cycles, sizeof *graph->head, by_address);
  for (size_t i = 0; i < graph->cycles; i++) {
    uint32_t cycle = (uint32_t)(graph->functions + i);
    graph->calls[cycle] = graph->self_calls[cycle] = 0;
    for (uint32_t m = graph->head[i]; m != GP_NONE; m = graph->next_member[m]) {
      graph->cycle[m] = cycle;
      GP_TRACE(graph->symtab->trace, GP_TRACE_CYCLES, "cycle %zu: %s %s", i + 1,
               m == graph->head[i] ? "head" : "member", name_of(graph, m));
    }
  }
  for (size_t i = 0; i < graph->cycles; i++)
    if (!count_calls(graph, (uint32_t)(graph->functions + i)))
      return gp_fail(error, "cycle %zu was called 2^63 times or more", i + 1);
  return true;
}

bool gp_cycles_find(gp_callgraph *graph, gp_error *error) {
  search s = {.graph = graph};
  bool done = allocate(&s);
  for (uint32_t f = 0; done && f < graph->functions; f++)
    if (!s.entered[f]) walk(&s, f);
  release(&s);
  return done ? add_cycles(graph, error) : gp_fail_memory(error);
}
