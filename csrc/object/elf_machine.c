/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine-specific rules for symbols. */
#include "object/elf_machine.h"

#include <stdio.h>
#include <string.h>

/* The start and the end of the 16-bit field e_machine in an ELF header. */
enum { MACHINE = 18, HEADER = MACHINE + 2 };

static unsigned traits_of(unsigned number) {
  switch (number) {
    case 8: return GP_ISA_BIT;                           /* MIPS */
    case 21: return GP_DESCRIPTORS | GP_LOCAL_ENTRIES;   /* PowerPC, 64 bits */
    case 40: return GP_ISA_BIT | GP_MAPPING_SYMBOLS;     /* ARM, 32 bits */
    case 183:                                            /* AArch64 */
    case 243: return GP_MAPPING_SYMBOLS;                 /* RISC-V */
    default: return 0;
  }
}

/* x86 has no traits, so the header of an x86 file is not read. */
unsigned gp_elf_machine_traits(bfd *file) {
  unsigned char header[HEADER];
  if (bfd_get_flavour(file) != bfd_target_elf_flavour) return 0;
  if (bfd_get_arch(file) == bfd_arch_i386) return 0;
  if (bfd_seek(file, 0, SEEK_SET) != 0) return 0;
  if (bfd_bread(header, sizeof header, file) != sizeof header) return 0;
  unsigned first = header[MACHINE], second = header[MACHINE + 1];
  return traits_of(bfd_big_endian(file) ? first << 8 | second : second << 8 | first);
}

/* A suffix after the letter makes names unique ("$d.5"), or names an instruction set
 * ("$xrv64i2p1"). */
bool gp_elf_machine_is_mapping_symbol(const char *name) {
  if (name[0] != '$' || !name[1] || !strchr("adtx", name[1])) return false;
  return !name[2] || name[2] == '.' || strncmp(name + 1, "xrv", 3) == 0;
}

void gp_elf_machine_clear_isa_bit(asymbol **symbols, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (symbols[i]->flags & (BSF_FUNCTION | BSF_GNU_INDIRECT_FUNCTION))
      symbols[i]->value &= ~(symvalue)1;
}
