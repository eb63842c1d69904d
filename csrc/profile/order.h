/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of functions, arcs and entries in reports.
 *
 * All of these orders are GNU gprof's.
 */
#ifndef GP_PROFILE_ORDER_H
#define GP_PROFILE_ORDER_H

#include "profile/callgraph.h"

/* Fills `entries` and `rank` of the graph, unless they are known: functions and cycles,
 * sorted by self plus children time, descending. For ties, see entry_before() in order.c.
 * Returns false if there is no memory. */
bool gp_order_entries(gp_callgraph *graph);

/* Returns the nodes that have a rank, in order of rank: an array (free() it) of `*count`
 * numbers. NULL if there is no memory. */
uint32_t *gp_order_nodes(gp_callgraph *graph, size_t *count);

/* Returns the nodes of all cycles, ascending: an array (free() it) of `*count` numbers.
 * NULL if there is no memory. */
uint32_t *gp_order_cycles(const gp_callgraph *graph, size_t *count);

/* The orders in which functions can be listed. */
typedef enum gp_function_order {
  GP_BY_NAME,      /* by name, then address */
  GP_BY_ADDRESS
} gp_function_order;

/* Returns all functions, without cold parts, in the given order: an array (free() it) of
 * `*count` numbers. NULL if there is no memory. */
uint32_t *gp_order_functions(const gp_callgraph *graph, gp_function_order order,
                             size_t *count);

/* Sorts functions by self time, then calls, both descending; equal ones keep their order.
 * Returns false if there is no memory. */
bool gp_order_by_self(const gp_callgraph *graph, uint32_t *functions, size_t count);

/* The orders in which arcs can be listed. */
typedef enum gp_arc_order {
  GP_BY_CREATION,  /* in the order of their first record */
  GP_BY_COUNT      /* by count, descending; arcs with equal counts in order of creation */
} gp_arc_order;

/* Returns all arcs, including self-calls, in the given order: an array (free() it) of
 * `*count` numbers. NULL if there is no memory. */
uint32_t *gp_order_arcs(const gp_callgraph *graph, gp_arc_order order, size_t *count);

/* A list of rows. The functions below reuse its memory: initialize it with zeroes, and
 * call gp_rows_free after the last call. */
typedef struct gp_rows {
  uint32_t *row;
  size_t count, capacity;
} gp_rows;

void gp_rows_free(gp_rows *rows);

/* gp_order_callers lists the arcs into a function, gp_order_callees the arcs out of it,
 * in the order in which the function's entry shows them. For a cycle, they list the arcs
 * from or to functions outside the cycle. These and the following functions return false
 * if there is no memory. */
bool gp_order_callers(const gp_callgraph *graph, uint32_t node, gp_rows *arcs);
bool gp_order_callees(const gp_callgraph *graph, uint32_t node, gp_rows *arcs);

/* Lists the lines of a function in a table by line: its own symbol, then its other lines
 * by address. */
bool gp_order_lines(const gp_callgraph *graph, uint32_t function, gp_rows *lines);

/* Lists the members of the cycle with node `cycle`, sorted by time, then calls, both
 * descending. */
bool gp_order_members(const gp_callgraph *graph, uint32_t cycle, gp_rows *members);

#endif
