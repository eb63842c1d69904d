/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spreads of sums, for Lua. */
#ifndef GP_LUA_SPREAD_H
#define GP_LUA_SPREAD_H

#include <lua.h>

#include "gmon/sum/run_times.h"
#include "gmon/sum/spread_file.h"
#include "profile/run_costs.h"

#define GP_SPREAD "gprof.spread"

typedef struct gp_spread_box {
  gp_spread spread;
  gp_run_costs costs;   /* of the run that is added; user value 1 keeps its symbols
                           alive */
  gp_run_times times;
  bool open;
} gp_spread_box;

/* Returns the spread at stack index `index`; NULL if the value is of another type, or
 * closed. */
gp_spread_box *gp_test_spread(lua_State *L, int index);

/* The same; a Lua error in place of NULL. */
gp_spread_box *gp_check_spread(lua_State *L, int index);

/* A run that is added to a spread while its profile is added to data. */
typedef struct gp_spread_adding {
  gp_spread_box *box;   /* NULL: there is no spread */
  const char *name;     /* of the run */
  bool is_sum;          /* the profile has several records of one histogram: it is a sum,
                           and not a run */
} gp_spread_adding;

/* Returns what is needed to add the run `name` to the spread at stack index `index`,
 * which may be nil. */
gp_spread_adding gp_check_adding(lua_State *L, int index, const char *name);

/* Computes the costs of a run, and checks that it can be added (a gp_file_check). */
bool gp_check_run(void *adding, const gp_data *run, gp_error *error);

/* Adds the run that was checked. Cannot fail. */
void gp_add_run(const gp_spread_adding *adding);

/* Pushes a table about the function at `address`, or nil: see spread.c. */
void gp_push_spread(lua_State *L, const gp_spread *spread, uint64_t address);

/* Returns how many units of the spread's times are a second. */
double gp_spread_units(const gp_spread *spread);

/* Pushes a table about whole runs. */
void gp_push_total_spread(lua_State *L, const gp_spread *spread);

#endif
