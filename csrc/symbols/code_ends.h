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

/* Returns one past the last address of code that ends at `end` or at the next code: the
 * latter if only padding lies between. */
uint64_t gp_padded_end(uint64_t end, uint64_t next);

/* Returns one past the last address of the symbol `s`, one of the first `count` of the
 * table: its end in the column `ends`, or the next symbol if only padding lies between.
 * The last symbol ends at `high` or before. */
uint64_t gp_code_end(const gp_symtab *symtab, const uint64_t *ends, uint32_t s,
                     uint32_t count, uint64_t high);

#endif
