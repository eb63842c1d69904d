/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of functions, arcs and entries in reports.
 *
 * It is the order in which GNU gprof prints them.
 */
#ifndef GP_PROFILE_ORDER_H
#define GP_PROFILE_ORDER_H

#include "profile/callgraph.h"

/* Fills `entries` and `rank` of the graph: functions and cycles by self plus children
 * time, descending. order.c has the rules for ties. Fails only if there is no memory. */
bool gp_order_entries(gp_callgraph *graph, gp_error *error);

/* The nodes that have a rank, in that order: an array (free() it) of `*count` numbers.
 * NULL if there is no memory. */
uint32_t *gp_order_nodes(const gp_callgraph *graph, size_t *count);

/* The nodes of all cycles, ascending: an array (free() it) of `*count` numbers. NULL if
 * there is no memory. */
uint32_t *gp_order_cycles(const gp_callgraph *graph, size_t *count);

/* The orders in which functions can be listed. */
typedef enum gp_function_order {
  GP_BY_SELF,      /* by self time, then calls, both descending, then name */
  GP_BY_NAME,      /* by name, then address */
  GP_BY_ADDRESS
} gp_function_order;

/* All functions, without cold parts, in that order: an array (free() it) of `*count`
 * numbers. NULL if there is no memory. */
uint32_t *gp_order_functions(const gp_callgraph *graph, gp_function_order order,
                             size_t *count);

/* The orders in which arcs can be listed. */
typedef enum gp_arc_order {
  GP_BY_CREATION,  /* in the order of their first record */
  GP_BY_COUNT      /* by count, descending; equal ones in order of creation */
} gp_arc_order;

/* All arcs, including self-calls, in that order: an array (free() it) of `*count`
 * numbers. NULL if there is no memory. */
uint32_t *gp_order_arcs(const gp_callgraph *graph, gp_arc_order order, size_t *count);

/* A list of rows. The functions below reuse its memory: initialize it with zeroes, and
 * free `row` after the last call. */
typedef struct gp_rows {
  uint32_t *row;
  size_t count, capacity;
} gp_rows;

/* Lists the arcs into (callers) or out of (callees) a function, in the order in which its
 * entry shows them. For a cycle, lists the arcs from or to functions outside of it. False
 * if there is no memory; the same holds for the functions below. */
bool gp_order_callers(const gp_callgraph *graph, uint32_t node, gp_rows *arcs);
bool gp_order_callees(const gp_callgraph *graph, uint32_t node, gp_rows *arcs);

/* Lists the lines of a function in a table by line: its own symbol, then the others by
 * address. */
bool gp_order_lines(const gp_callgraph *graph, uint32_t function, gp_rows *lines);

/* Lists the members of a cycle (a node), by time, then calls, both descending. */
bool gp_order_members(const gp_callgraph *graph, uint32_t cycle, gp_rows *members);

#endif
