/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Iteration over the parts of an object.
 *
 * An iteration gives an object for each part, or the values of some fields without it,
 * which is what makes large reports fast. The core has some orders; for any other one the
 * numbers are sorted by a function of the Lua layer, which set_sorter() names.
 */
#ifndef GP_LUA_ITERATION_H
#define GP_LUA_ITERATION_H

#include "lua/part.h"
#include "profile/order.h"

typedef struct gp_iteration {
  const gp_part_kind *kind;
  int order;              /* index of the argument that is the order */
  gp_rows rows;           /* freed by the collector */
  size_t done;
  int field_count;        /* 0: objects are given */
  const gp_field *fields[];
} gp_iteration;

/* Pushes an iteration over parts of the object at stack index `whole`, still without
 * rows. Arguments after `order` are names of fields: if there are any, it gives these
 * fields of each part, and no objects are made. */
gp_iteration *gp_new_iteration(lua_State *L, const gp_part_kind *kind, int whole,
                               int order);

/* The order that argument `index` asks for: its place in `names`, the core's own orders,
 * which end with NULL; 0 if it is nil; -1 if rows are to be sorted by another field or by
 * a function. */
int gp_order_option(lua_State *L, int index, const char *const names[]);

/* Returns, for a generic for, the iteration on the top of the stack, which has its rows
 * by now; a Lua error if there was no memory for them. Sorts them unless they are. */
int gp_return_iteration(lua_State *L, bool sorted);

/* The iteration that the function at `index` continues; NULL if it is anything else. */
gp_iteration *gp_test_iteration(lua_State *L, int index);

/* Pushes the object that such an iteration is over, and returns its stack index. */
int gp_push_whole(lua_State *L, int index);

/* Reads the fields of the next row of an iteration over parts of the object at stack
 * index `whole`; false at the end. Values that are pushed hold their stack index. */
bool gp_next_fields(lua_State *L, gp_iteration *each, int whole, gp_field_value *fields);

/* --- other loops --------------------------------------------------------------- */

/* Returns a function that goes over what is in argument 1: `next`, whose upvalues are the
 * argument, and a count that begins as 0. */
int gp_return_counting(lua_State *L, lua_CFunction next);

/* Returns, for a generic for, `next` with the object on the top of the stack as its
 * upvalue, which is closed when the loop is left. */
int gp_return_loop(lua_State *L, lua_CFunction next);

#endif
