/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libopcodes, by reference.
 *
 * Loading libopcodes takes longer than a whole report of a small program, and hardly
 * anybody looks for calls in the code. So the core is not linked with it, but calls the
 * functions it needs through this table. The module gprof.opcodes (csrc/lua/opcodes.c) is
 * linked with it, holds the table, and is loaded when it is wanted.
 */
#ifndef GP_OBJECT_OPCODES_H
#define GP_OBJECT_OPCODES_H

#include "object/image.h"

#include <dis-asm.h>

/* Each is the function of libopcodes that dis-asm.h declares. */
typedef struct gp_opcodes {
  disassembler_ftype (*disassembler)(enum bfd_architecture, bool big,
                                     unsigned long machine, bfd *file);
  void (*init_disassemble_info)(struct disassemble_info *, void *stream, fprintf_ftype,
                                fprintf_styled_ftype);
  void (*disassemble_init_for_target)(struct disassemble_info *);
  void (*disassemble_free_target)(struct disassemble_info *);
} gp_opcodes;

#endif
