/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Function descriptors of 64-bit PowerPC, in the section .opd.
 *
 * On 64-bit PowerPC (ELF ABI, version 1) a function's symbol is the address of a
 * descriptor in the section .opd. The first number of the descriptor is the address of
 * the code, which is what profiles record. Older compilers also made symbols for the
 * code, whose names begin with a dot. We make such symbols, as a libbfd with support for
 * the machine does.
 *
 * Such a libbfd makes at most one symbol per address. It makes none if the code already
 * has a symbol. Of several names, it takes the first that is not weak. We also make the
 * other symbols, and mark them as extra.
 */
#ifndef GP_OBJECT_OPD_H
#define GP_OBJECT_OPD_H

#include "base/bytes.h"
#include "object/elf_machine.h"

/* Makes a code symbol for each descriptor symbol in `symbols`, with the same flags. The
 * new symbols are sorted by address, then in the given order. Skips descriptors that do
 * not lead to code, and unlinked files, whose descriptors have no addresses yet. Sets
 * *made_count, and *made to one block with the symbols and their names (free() it), or to
 * NULL if there are none. False if there is no memory. */
bool gp_opd_resolve(bfd *file, gp_layout layout, asymbol *const *symbols,
                    size_t count, asymbol **made, size_t *made_count);

/* Whether gp_opd_resolve made this symbol and libbfd would not have made it. */
bool gp_opd_is_extra(const asymbol *symbol);

#endif
