/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Static calls: calls that are found in the code.
 *
 * A profile has the calls that were made; the code has those that could be made. Only
 * direct calls whose target is the first address of a function are found: not calls
 * through pointers, nor jumps in place of calls.
 */
#ifndef GP_PROFILE_STATIC_CALLS_H
#define GP_PROFILE_STATIC_CALLS_H

#include "object/opcodes.h"
#include "symbols/symtab.h"

/* Columns over calls, by address of the calling instruction, upwards. Functions are
 * numbers of the symbol table; a pair is repeated for each instruction that calls. */
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

void gp_static_calls_free(gp_static_calls *calls);

/* --- for another search ------------------------------------------------------ */

/* The bytes of .text; to be freed. NULL, and an error, if there are none. */
uint8_t *gp_static_calls_text(const gp_image *image, gp_error *error);

/* Appends a call. False if there is no memory. */
bool gp_static_calls_append(gp_static_calls *calls, uint32_t caller, uint32_t callee);

#endif
