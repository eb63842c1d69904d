/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time and the calls of each function in one run, as whole numbers (see
 * gmon/sum/spread.h). Samples and calls are assigned to functions as for reports, without
 * any
 * selection.
 */
#ifndef GP_PROFILE_RUN_COSTS_H
#define GP_PROFILE_RUN_COSTS_H

#include "gmon/sum/spread.h"
#include "symbols/symtab.h"

/* The callees of the arcs of the last run. The arcs of the next one are nearly the same,
 * so their functions need not be looked up. */
typedef struct gp_run_arcs {
  size_t count, capacity;
  uint64_t *from, *self;
  uint32_t *callee;       /* row of the function whose calls they are; GP_NONE: of none */
} gp_run_arcs;

/* Its address must not change. */
typedef struct gp_run_costs {
  const gp_symtab *symtab;  /* of functions */
  uint32_t *entered;        /* see gp_callgraph_entered */
  gp_run run;               /* the last run */
  gp_run_arcs arcs;
} gp_run_costs;

/* `symtab` must outlive the costs. Errors: no memory. */
bool gp_run_costs_init(gp_run_costs *costs, const gp_symtab *symtab, gp_error *error);
void gp_run_costs_free(gp_run_costs *costs);

/* Computes the costs of a run, in `run`. `data` has the records of its profile. Errors: a
 * time or a number of calls exceeds 63 bits; the profile is of a shared library; no
 * memory. */
bool gp_run_costs_compute(gp_run_costs *costs, const gp_data *data, gp_error *error);

#endif
