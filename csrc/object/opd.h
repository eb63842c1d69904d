/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Function descriptors of 64-bit PowerPC, in the section .opd.
 *
 * On 64-bit PowerPC (ELF ABI, version 1) a pointer to a function is that of a
 * descriptor in the section .opd, and so is the function's symbol. What a profile
 * tells of is the code: its address is the first number of the descriptor. Code had
 * symbols of its own once, with a dot in front of the name; such are made here, as by
 * a libbfd that knows the machine.
 *
 * That one makes none at the address of another symbol of code, and of several names of
 * one function takes one: the first that is not weak. The rest are made here, too, and
 * marked.
 */
#ifndef GP_OBJECT_OPD_H
#define GP_OBJECT_OPD_H

#include "base/bytes.h"
#include "object/elf_machine.h"

/* Makes a symbol of the code for each symbol of a descriptor among these, by address
 * and else in their order, with its flags. Descriptors that lead to no code have none;
 * nor have those of a file that is not linked, whose addresses are not there yet. Sets
 * `*made` to one block that has them and their names (free() it), or to NULL if there
 * are none, and `*made_count`. False if there was no memory. */
bool gp_opd_resolve(bfd *file, gp_layout layout, asymbol *const *symbols,
                    size_t count, asymbol **made, size_t *made_count);

/* Whether a symbol is one that was made here, and that a libbfd which knows the machine
 * makes not. */
bool gp_opd_is_extra(const asymbol *symbol);

#endif
