/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the code of functions ends, according to the sizes of symbols.
 *
 * In a symbol table, a function extends to the next one. That is wrong where symbols are
 * missing: stripped libraries only have the symbols of exported functions.
 */
#ifndef GP_SYMBOLS_CODE_ENDS_H
#define GP_SYMBOLS_CODE_ENDS_H

#include "object/image.h"
#include "symbols/symtab.h"

/* Returns a column with one past the last address that is known to belong to each symbol,
 * or to one before it. It is UINT64_MAX for a symbol without a size, and if the image has
 * no sizes. Free it. NULL if there is no memory. */
uint64_t *gp_code_ends(const gp_symtab *symtab, const gp_image *image);

#endif
