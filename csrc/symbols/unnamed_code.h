/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that no symbol names, in the table of a stripped program: it is a function of its
 * own, "<program>", not a part of the function before it.
 */
#ifndef GP_SYMBOLS_UNNAMED_CODE_H
#define GP_SYMBOLS_UNNAMED_CODE_H

#include "symbols/symtab.h"

/* Adds the code between the functions of a table, which may be empty (see `gaps` in
 * gp_symtab_options). `name` is that of the program. Errors: no memory. */
bool gp_unnamed_code_add(gp_symtab *symtab, const gp_image *image, const char *name,
                         gp_error *error);

#endif
