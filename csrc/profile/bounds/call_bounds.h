/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits of inclusive times that follow from recorded calls alone.
 *
 * These are the bounds of time_bounds.h, on the assumption that every call was recorded.
 * They need no machine code, so they exist for every profile, also without a program.
 */
#ifndef GP_PROFILE_BOUNDS_CALL_BOUNDS_H
#define GP_PROFILE_BOUNDS_CALL_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Functions, numbered from 0, and arcs, of which a pair may have several. */
typedef struct gp_recorded_calls {
  size_t functions, arcs;
  const double *self;             /* per function: ticks in its own code */
  const uint64_t *calls;          /* per function: calls by other functions */
  const uint32_t *caller, *callee;
  const uint64_t *count;          /* per arc */
} gp_recorded_calls;

/* Sets low[f] and high[f] to the least and the most ticks in function f and its callees.
 * Functions without callers, or with more calls than their arcs have, may be called by
 * unknown code. `high` may be NULL.
 * Errors: no memory. */
bool gp_call_bounds_find(const gp_recorded_calls *recorded, double *low, double *high,
                         gp_error *error);

#endif
