/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Extends calls and call paths by inlined functions.
 *
 * Where a path leads through inlined code, uncounted calls of the inlined functions are
 * inserted. Calls and samples in inlined code get the address of the inlined function's
 * symbol, so later steps need not know about inlining.
 */
#ifndef GP_PROFILE_INLINES_INLINED_CALLS_H
#define GP_PROFILE_INLINES_INLINED_CALLS_H

#include "gmon/gmon.h"
#include "symbols/symtab.h"

/* Fills `inlined`, which must be initialized, with the arcs and the call paths of data,
 * which must be complete (see gp_measured_is_complete). The table must have symbols of
 * inlined functions. Fails if there is no memory. */
bool gp_inlined_calls_find(gp_data *inlined, const gp_data *data,
                           const gp_symtab *symtab, gp_error *error);

#endif
