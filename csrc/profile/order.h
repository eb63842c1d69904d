/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What comes first in a report.
 *
 * Each function here sorts something in the order in which GNU gprof prints it.
 */
#ifndef GP_PROFILE_ORDER_H
#define GP_PROFILE_ORDER_H

#include "profile/callgraph.h"

/* Ranks the entries of the call graph, functions and cycles: fills entries and
 * rank of the graph. By time in them and below; see order.c for ties. */
bool gp_order_entries(gp_callgraph *graph, gp_error *error);

/* A new column of the nodes that have a rank, in that order; *count of them. NULL if
 * there is no memory. */
uint32_t *gp_order_nodes(const gp_callgraph *graph, size_t *count);

/* A new column of the cycles in the order of their numbers. NULL if there is no
 * memory. */
uint32_t *gp_order_cycles(const gp_callgraph *graph, size_t *count);

/* The orders in which functions can be listed. */
typedef enum gp_function_order {
  GP_BY_SELF,      /* by self time, then calls, both descending, then name */
  GP_BY_NAME,      /* by name, then address */
  GP_BY_ADDRESS
} gp_function_order;

/* A new column of all functions (owners, no parts) in that order; *count of them.
 * NULL if there is no memory. */
uint32_t *gp_order_functions(const gp_callgraph *graph, gp_function_order order,
                             size_t *count);

/* The orders in which arcs can be listed. */
typedef enum gp_arc_order {
  GP_BY_CREATION,  /* as the profile met them first */
  GP_BY_COUNT      /* by count, descending; equal ones as they were created */
} gp_arc_order;

/* A new column of all arcs, calls of oneself among them, in that order; *count of
 * them. NULL if there is no memory. */
uint32_t *gp_order_arcs(const gp_callgraph *graph, gp_arc_order order, size_t *count);

/* Rows in an order. One list after the other has room in them: begin with zeroes, and
 * free `row` in the end. */
typedef struct gp_rows {
  uint32_t *row;
  size_t count, capacity;
} gp_rows;

/* Fills in the arcs into and out of a function, in the order in which its entry shows
 * them; or those of a cycle, from and to functions outside it, in the same order. False
 * if there is no memory, as with those below. */
bool gp_order_callers(const gp_callgraph *graph, uint32_t node, gp_rows *arcs);
bool gp_order_callees(const gp_callgraph *graph, uint32_t node, gp_rows *arcs);

/* Fills in the lines of a function in a table by line: that of its own symbol, then the
 * others by address. */
bool gp_order_lines(const gp_callgraph *graph, uint32_t function, gp_rows *lines);

/* Fills in the members of a cycle (a node), by time, then calls, both descending. */
bool gp_order_members(const gp_callgraph *graph, uint32_t cycle, gp_rows *members);

#endif
