/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes topological numbers, and finds cycles of recursive functions.
 *
 * Numbers the functions so that callees come before their callers. Finds the cycles: the
 * strongly connected components of more than one function. All members of a cycle get the
 * same number.
 */
#ifndef GP_PROFILE_CYCLES_H
#define GP_PROFILE_CYCLES_H

#include "profile/callgraph.h"

/* Fills `number`, `cycle`, `next_member` and `head` of the graph. Adds the cycles as
 * nodes, with calls from outside and calls between members. Errors: no memory; a count
 * that overflows. */
bool gp_cycles_find(gp_callgraph *graph, gp_error *error);

#endif
