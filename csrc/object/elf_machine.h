/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine-specific meanings of symbols.
 *
 * Most installations of libbfd support one machine. It reads the sections, symbols and
 * debugging information of other machines' images, too, but does not apply the rules that
 * the ABI of the machine has for symbols. These traits name the rules; opd.h implements
 * function descriptors.
 */
#ifndef GP_OBJECT_ELF_MACHINE_H
#define GP_OBJECT_ELF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "object/libbfd.h"

/* Traits of a machine, one bit each. */
enum {
  /* bit 0 of a function's address says which of two instruction sets it is in, and is
   * no part of the address: Thumb (ELF for the Arm Architecture), MIPS16, microMIPS */
  GP_TAGGED = 1,
  /* symbols "$a", "$t", "$d" and "$x" tell code from data (the same, "mapping symbols";
   * ELF for the Arm 64-bit Architecture; RISC-V ELF psABI) */
  GP_MARKED = 2,
  /* a function's symbol is that of a descriptor in .opd, which holds the address of the
   * code; symbols of code have a dot in front (64-bit PowerPC ELF ABI, version 1) */
  GP_DESCRIBED = 4
};

/* The traits of an image's machine, whether libbfd supports it or not. 0 for formats
 * other than ELF. */
unsigned gp_elf_machine_traits(bfd *file);

/* Whether a name is that of a mapping symbol. */
bool gp_elf_machine_is_mark(const char *name);

/* Clears bit 0 of the functions' addresses; for machines with GP_TAGGED. */
void gp_elf_machine_untag(asymbol **symbols, size_t count);

#endif
