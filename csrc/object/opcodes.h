/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of the libopcodes functions that the core calls.
 *
 * Loading libopcodes takes longer than a whole report of a small program, and few reports
 * need it. So the core is not linked with libopcodes. The module gprof.opcodes
 * (csrc/lua/opcodes.c) is linked with it, provides this table, and is loaded on demand.
 */
#ifndef GP_OBJECT_OPCODES_H
#define GP_OBJECT_OPCODES_H

#include "object/image.h"

#include <dis-asm.h>

/* Functions declared in dis-asm.h, since binutils 2.39 with styles. */
typedef struct gp_opcodes {
  disassembler_ftype (*disassembler)(enum bfd_architecture, bool big,
                                     unsigned long machine, bfd *file);
  void (*init_disassemble_info)(struct disassemble_info *, void *stream, fprintf_ftype,
                                fprintf_styled_ftype);
  void (*disassemble_init_for_target)(struct disassemble_info *);
  void (*disassemble_free_target)(struct disassemble_info *);
} gp_opcodes;

#endif
