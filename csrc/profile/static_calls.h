/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that are found in the code.
 *
 * A profile tells of calls that were made; the code tells of those that could be made.
 * This looks for direct calls whose target is exactly where a function begins: calls
 * through pointers cannot be seen, nor can jumps that take a call's place.
 */
#ifndef GP_PROFILE_STATIC_CALLS_H
#define GP_PROFILE_STATIC_CALLS_H

#include "gmon/gmon.h"
#include "object/opcodes.h"
#include "symbols/symtab.h"

/* Columns over calls, by address of the calling instruction, upwards. Functions are
 * numbers of the symbol table; a pair that calls in several places is here as often. */
typedef struct gp_static_calls {
  size_t count, capacity;
  uint32_t *caller, *callee;
} gp_static_calls;

/* Decodes all functions in .text, each from its start. What a cold part calls
 * is called by the function it is a part of. Errors: the architecture, a
 * section without contents. */
bool gp_static_calls_find(gp_static_calls *calls, const gp_image *image,
                          const gp_symtab *symtab, const gp_opcodes *opcodes,
                          gp_error *error);

/* Finds what GNU gprof finds on the x86 family: any byte E8 in a function that the
 * histograms of `data` cover is taken for a call, always forwards, and counts if a
 * function begins at its target, and a histogram covers that. Other architectures as
 * gp_static_calls_find; nothing, without an error, where that knows none. */
bool gp_static_calls_find_as_gnu(gp_static_calls *calls, const gp_image *image,
                                 const gp_symtab *symtab, const gp_data *data,
                                 const gp_opcodes *opcodes, gp_error *error);

void gp_static_calls_free(gp_static_calls *calls);

#endif
