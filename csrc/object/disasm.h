/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions, one at a time.
 *
 * Decodes the code of an image by libopcodes, and tells of an instruction the only
 * thing that matters here: whether it is a call, and of what. A call is one of an
 * address that the instruction itself names; calls through registers and memory are
 * none.
 */
#ifndef GP_OBJECT_DISASM_H
#define GP_OBJECT_DISASM_H

#include "object/opcodes.h"

typedef struct gp_disasm {
  const gp_opcodes *opcodes;
  disassembler_ftype decode;
  struct disassemble_info info;
  const char *const *calls;   /* mnemonics of calls, up to a NULL; NULL where libopcodes
                                 says of what kind an instruction is */
  bool tells;                 /* calls are told from other instructions */
  const uint8_t *text;        /* the bytes of .text */
  uint64_t low;               /* their address */
  uint64_t end;               /* nothing is read from here on */

  /* of the instruction that is being decoded */
  bool named;                 /* the mnemonic is that of a call */
  bool aimed;                 /* an address was shown */
  uint64_t target;            /* that address */
} gp_disasm;

/* Whether libopcodes knows the image's architecture. */
bool gp_disasm_knows(const gp_image *image, const gp_opcodes *opcodes);

/* Prepares for decoding `text`, the bytes of the image's .text. The decoder's address
 * must not change from here on. An architecture that libopcodes does not know is an
 * error. */
bool gp_disasm_open(gp_disasm *decoder, const gp_image *image, const uint8_t *text,
                    const gp_opcodes *opcodes, gp_error *error);
void gp_disasm_close(gp_disasm *decoder);

/* Decodes the instruction at `*address`, of which nothing lies at or above `end` (itself
 * within .text), and moves `*address` behind it. True if it is a call: of `*target`. */
bool gp_disasm_next(gp_disasm *decoder, uint64_t *address, uint64_t end,
                    uint64_t *target);

/* Whether calls can be told from other instructions, as far as one can say after having
 * decoded some. If not, fills the error. */
bool gp_disasm_tells_calls(const gp_disasm *decoder, gp_error *error);

#endif
