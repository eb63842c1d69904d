/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Iterators over the parts of an object.
 *
 * An iterator returns an object for each part, or the values of chosen fields without
 * creating objects, which makes large reports fast. The core sorts in a few orders. For
 * any other order it calls a function of the Lua layer, set by set_sorter().
 */
#ifndef GP_LUA_ITERATION_H
#define GP_LUA_ITERATION_H

#include "lua/part.h"
#include "profile/order.h"

typedef struct gp_iteration {
  const gp_part_kind *kind;
  int order;              /* stack index of the order argument */
  gp_rows rows;           /* freed by the collector */
  size_t done;            /* rows returned so far */
  int field_count;        /* 0: returns objects */
  const gp_field *fields[];
} gp_iteration;

/* Pushes an iteration over parts of the object at stack index `whole`. The caller fills
 * in the rows. Arguments after stack index `order` are field names: if there are any, the
 * iteration returns these fields of each part instead of objects. */
gp_iteration *gp_new_iteration(lua_State *L, const gp_part_kind *kind, int whole,
                               int order);

/* Returns the position of the order argument at `index` in `names`, a NULL-terminated
 * list of the orders that the core supports; 0 if the argument is nil; -1 if it is
 * another field or a function. */
int gp_order_option(lua_State *L, int index, const char *const names[]);

/* Pushes the iterator for a generic `for` over the iteration on the top of the stack, and
 * returns the number of results. Sorts the rows by the order argument unless they are
 * `sorted`. If `rows.row` is NULL, raises the out-of-memory error. */
int gp_return_iteration(lua_State *L, bool sorted);

/* --- other loops --------------------------------------------------------------- */

/* Pushes `next` as a closure with two upvalues, argument 1 and a counter that starts at
 * 0. Returns 1, the number of results. */
int gp_return_counting(lua_State *L, lua_CFunction next);

/* Pushes what a generic `for` needs: `next` as a closure over the object on the top of
 * the stack, and that object as the value to close when the loop ends. Returns the number
 * of results. */
int gp_return_loop(lua_State *L, lua_CFunction next);

#endif
