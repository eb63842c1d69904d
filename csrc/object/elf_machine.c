/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine-specific meanings of symbols. */
#include "object/elf_machine.h"

#include <stdio.h>
#include <string.h>

/* Where an ELF header has the number of the machine, in 16 bits. */
enum { MACHINE = 18, HEADER = MACHINE + 2 };

static unsigned traits_of(unsigned number) {
  switch (number) {
    case 8: return GP_TAGGED;               /* MIPS */
    case 21: return GP_DESCRIBED;           /* PowerPC, 64 bits */
    case 40: return GP_TAGGED | GP_MARKED;  /* ARM, 32 bits */
    case 183:                               /* AArch64 */
    case 243: return GP_MARKED;             /* RISC-V */
    default: return 0;
  }
}

/* x86 has no traits, so its images need not be read for them. */
unsigned gp_elf_machine_traits(bfd *file) {
  unsigned char header[HEADER];
  if (bfd_get_flavour(file) != bfd_target_elf_flavour) return 0;
  if (bfd_get_arch(file) == bfd_arch_i386) return 0;
  if (bfd_seek(file, 0, SEEK_SET) != 0) return 0;
  if (bfd_bread(header, sizeof header, file) != sizeof header) return 0;
  unsigned first = header[MACHINE], second = header[MACHINE + 1];
  return traits_of(bfd_big_endian(file) ? first << 8 | second : second << 8 | first);
}

/* What follows the letter is there to tell several apart ("$d.5"), or names the
 * extensions that code is for ("$xrv64i2p1"). */
bool gp_elf_machine_is_mark(const char *name) {
  if (name[0] != '$' || !name[1] || !strchr("adtx", name[1])) return false;
  return !name[2] || name[2] == '.' || strncmp(name + 1, "xrv", 3) == 0;
}

void gp_elf_machine_untag(asymbol **symbols, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (symbols[i]->flags & (BSF_FUNCTION | BSF_GNU_INDIRECT_FUNCTION))
      symbols[i]->value &= ~(symvalue)1;
}
