/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Static calls: calls found in the code.
 *
 * A profile records the calls that were made; the code shows calls that could be made.
 * Only direct calls to the first address of a function are found, or to its local entry
 * on machines with GP_LOCAL_ENTRIES. Calls through pointers and tail calls (jumps) are
 * not.
 */
#ifndef GP_PROFILE_CODE_STATIC_CALLS_H
#define GP_PROFILE_CODE_STATIC_CALLS_H

#include "object/opcodes.h"
#include "symbols/symtab.h"

/* Calls in columns, by ascending address of the instruction. Callers and callees are
 * symbol numbers. Several instructions may have the same caller and callee. */
typedef struct gp_static_calls {
  size_t count, capacity;
  uint32_t *caller, *callee;
} gp_static_calls;

/* Decodes the functions in all sections with code, each from its start. Calls in a cold
 * part belong to the part's function. Errors: the architecture is not supported; .text
 * has no contents; no memory. */
bool gp_static_calls_find(gp_static_calls *calls, const gp_image *image,
                          const gp_symtab *symtab, const gp_opcodes *opcodes,
                          gp_error *error);

void gp_static_calls_free(gp_static_calls *calls);

/* Appends a call. Also used by gnu_static_calls.c. False if there is no memory. */
bool gp_static_calls_append(gp_static_calls *calls, uint32_t caller, uint32_t callee);

#endif
