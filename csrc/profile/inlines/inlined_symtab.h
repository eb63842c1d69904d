/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbol table of a profile with inlined functions.
 *
 * It has the symbols of the table of functions, followed by one for each function of the
 * program that was inlined where anything was recorded (see gp_symtab_inlining).
 * Functions are the same if they have the same name and are declared at the same place.
 * If the place of a compiled function is unknown, the function of that name nearest by
 * address is used.
 */
#ifndef GP_PROFILE_INLINES_INLINED_SYMTAB_H
#define GP_PROFILE_INLINES_INLINED_SYMTAB_H

#include "gmon/gmon.h"
#include "symbols/symtab.h"

/* Builds the table from a table of functions, which can be merged. `images` has the image
 * of each of its objects, or NULL if that is unknown; the first is the program. The table
 * of functions and the images must outlive the new table. Without debugging information
 * that we can read, the map has no scopes. Errors: the address space is too small; no
 * memory. */
bool gp_inlined_symtab_build(gp_symtab *symtab, const gp_symtab *functions,
                             const gp_image *const *images, const gp_data *data,
                             gp_error *error);

#endif
