/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Link orders that put callers and callees close together.
 *
 * A program whose functions (or object files) are linked in such an order touches fewer
 * pages. The algorithm visits the arcs of the call graph in descending order of calls. If
 * caller and callee are in no chain yet, they form a new one; if one of them is in a
 * chain, the other is added to it. Then the chains are placed one after the other. Hot
 * functions, which have many callers, would separate the members of chains, so they are
 * placed first.
 *
 * This file knows only nodes, which are numbers, and arcs between them. The steps and the
 * constants are GNU gprof's; the constants were found by experiment.
 */
#ifndef GP_PROFILE_LINKER_ORDER_H
#define GP_PROFILE_LINKER_ORDER_H

#include "profile/order.h"

/* Arcs between different nodes. Initialize it with zeroes. */
typedef struct gp_linker_arcs {
  size_t count, capacity;
  uint32_t *caller, *callee;
  double *calls;
  uint32_t *created;  /* position in the order of creation */
  uint32_t nodes;     /* one more than the highest node */
} gp_linker_arcs;

/* Adds an arc, unless both nodes are the same. */
bool gp_linker_arcs_add(gp_linker_arcs *arcs, uint32_t caller, uint32_t callee,
                        double calls, uint32_t created);

/* Adds the arcs of a graph, in descending order of calls; equal ones in order of
 * creation. */
bool gp_linker_arcs_read(gp_linker_arcs *arcs, const gp_callgraph *graph);

void gp_linker_arcs_free(gp_linker_arcs *arcs);

/* Computes an order of functions in `order`, an empty list.
 * - `nodes` are the functions in address order.
 * - `arcs` are sorted by calls, descending; equal ones in order of creation.
 * - `faulty` reproduces GNU gprof's faults: the last hot function may be missing, and a
 *   function that is never called may be listed twice. Otherwise each is listed once.
 * Like the other functions here, it fails only if there is no memory. */
bool gp_linker_order_functions(const uint32_t *nodes, size_t count,
                               const gp_linker_arcs *arcs, bool faulty, gp_rows *order);

/* Computes an order of object files in `order`, an empty list. `nodes` are the files in
 * address order; `arcs` are processed in their order. Arcs from or to other nodes only
 * add to the sum of all calls. */
bool gp_linker_order_files(const uint32_t *nodes, size_t count,
                           const gp_linker_arcs *arcs, gp_rows *order);

#endif
