/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbering, and cycles of recursion.
 *
 * Numbers the functions so that callees come before their callers, and finds the
 * cycles: the strongly connected components of more than one function. All members
 * of a cycle get one number.
 */
#ifndef GP_PROFILE_CYCLES_H
#define GP_PROFILE_CYCLES_H

#include "profile/callgraph.h"

/* Fills number, cycle, next_member and head, and adds the cycles as nodes, with
 * calls from outside and calls between members. */
bool gp_cycles_find(gp_callgraph *graph, gp_error *error);

#endif
