/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls and call paths in which inlined functions are functions.
 *
 * Where a path leads through inlined code, calls of the inlined functions are added to
 * it, which have no counts. Calls and samples in inlined code get the address of the
 * function's symbol. Everything else need not know of inlined functions then.
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
