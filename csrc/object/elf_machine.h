/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine-specific rules for symbols.
 *
 * Most installations of libbfd support one machine. For other machines' images libbfd
 * reads sections, symbols and debugging information, but does not apply the ABI's rules
 * for symbols. The traits below name these rules. opd.h implements function descriptors.
 */
#ifndef GP_OBJECT_ELF_MACHINE_H
#define GP_OBJECT_ELF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "object/libbfd.h"

/* Traits of a machine, one bit each. */
enum {
  /* bit 0 of a function's address is not part of the address, but selects the instruction
   * set: Thumb (ELF for the Arm Architecture), MIPS16, microMIPS */
  GP_ISA_BIT = 1,
  /* mapping symbols "$a", "$t", "$d" and "$x" mark the start of code or data (ELF for the
   * Arm Architecture; ELF for the Arm 64-bit Architecture; RISC-V ELF psABI) */
  GP_MAPPING_SYMBOLS = 2,
  /* a function's symbol is the address of a descriptor in .opd, which holds the address
   * of the code; names of code symbols begin with a dot (64-bit PowerPC ELF ABI, version
   * 1) */
  GP_DESCRIPTORS = 4,
  /* a function begins with two instructions that set its TOC pointer; callers with the
   * same TOC pointer enter it after them (64-bit PowerPC ELF ABI, version 2) */
  GP_LOCAL_ENTRIES = 8
};

/* The size of these two instructions. */
enum { GP_LOCAL_ENTRY = 8 };

/* Returns the traits of an image's machine, even if libbfd does not support the machine.
 * 0 for formats other than ELF. */
unsigned gp_elf_machine_traits(bfd *file);

/* Whether `name` is the name of a mapping symbol. */
bool gp_elf_machine_is_mapping_symbol(const char *name);

/* Clears bit 0 of the addresses of functions, for machines with GP_ISA_BIT. */
void gp_elf_machine_clear_isa_bit(asymbol **symbols, size_t count);

#endif
