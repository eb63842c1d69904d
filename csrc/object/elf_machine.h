/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the symbols of some machines mean.
 *
 * libbfd, as most are installed, knows one machine. Images of another one are to it
 * images of an unknown machine: sections, symbols and debugging information are read as
 * well, but what the ABI of that machine does with symbols is left as it is in the file.
 * This tells what there is to be known about it, and descriptors.h does the rest.
 */
#ifndef GP_OBJECT_ELF_MACHINE_H
#define GP_OBJECT_ELF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* bfd.h insists on a config.h, or on these two names */
#ifndef PACKAGE
#define PACKAGE "gprof"
#define PACKAGE_VERSION "scm"
#endif
#include <bfd.h>

/* Traits, a bit for each. */
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

/* The traits of an image's machine, of whatever libbfd knows or not; 0 for those that
 * have none, and for formats other than ELF. */
unsigned gp_elf_machine_traits(bfd *file);

/* Whether a name is that of a symbol that only tells code from data. */
bool gp_elf_machine_is_mark(const char *name);

/* Takes the bit off the addresses of functions: of a machine with GP_TAGGED. */
void gp_elf_machine_untag(asymbol **symbols, size_t count);

#endif
