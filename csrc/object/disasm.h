/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds calls and jumps in machine code, with libopcodes.
 *
 * Decodes one instruction at a time, and reports whether it is a call or a jump, and to
 * which address; or what it is in assembler.
 */
#ifndef GP_OBJECT_DISASM_H
#define GP_OBJECT_DISASM_H

#include "object/opcodes.h"

/* The size of an instruction's text, with the terminating zero; longer ones are cut. */
enum { GP_INSTRUCTION_TEXT = 128 };

typedef struct gp_disasm {
  const gp_opcodes *opcodes;
  disassembler_ftype decode;
  struct disassemble_info info;
  const char *const *calls;   /* mnemonics of calls, ended by a NULL; NULL if libopcodes
                                 classifies the instructions of this architecture */
  bool only_calls;            /* only direct calls are of interest */
  bool identifies_calls;      /* calls can be identified on this architecture */
  bool local_entries;         /* the machine has GP_LOCAL_ENTRIES */
  const uint8_t *text;        /* the bytes of a section, usually .text */
  uint64_t low;               /* address of the first byte */
  uint64_t end;               /* one past the end of the code that may be read */

  /* the instruction being decoded */
  bool has_call_mnemonic, has_return_mnemonic, is_nop;
  bool has_target;            /* libopcodes printed an address */
  uint64_t target;            /* the printed address */
  uint64_t displacement;      /* the constant part of an operand's address, or 0 */

  bool writes;                /* the text is wanted, and nothing else */
  size_t length;              /* of the text */
  char line[GP_INSTRUCTION_TEXT];
} gp_disasm;

/* Kinds of instructions. Where libopcodes does not classify instructions, only direct
 * calls are reported. */
typedef enum gp_instruction {
  GP_OTHER_INSTRUCTION,
  GP_DIRECT_CALL,        /* calls the target */
  GP_SLOT_CALL,          /* calls the address stored at the target, as in a GOT */
  GP_INDIRECT_CALL,      /* calls an unknown address */
  GP_RETURN,
  GP_JUMP,               /* jumps to the target; 0: to an unknown place */
  GP_CONDITIONAL_JUMP,   /* may jump to the target */
  GP_NOP,
} gp_instruction;

/* Returns the bytes of a section (free() them). NULL, with an error, if they cannot be
 * read. */
uint8_t *gp_disasm_text(const gp_image *image, asection *section, gp_error *error);

/* Whether libopcodes supports the image's architecture. */
bool gp_disasm_knows(const gp_image *image, const gp_opcodes *opcodes);

/* Prepares for decoding `text`, the contents of the image's .text. With `only_calls`,
 * direct calls are recognized, but any other instruction may get any other kind; this
 * saves time. The decoder's address must not change afterwards. Errors: libopcodes does
 * not support the architecture. */
bool gp_disasm_open(gp_disasm *decoder, const gp_image *image, const uint8_t *text,
                    const gp_opcodes *opcodes, bool only_calls, gp_error *error);
void gp_disasm_close(gp_disasm *decoder);

/* Decodes the instruction at *address and advances *address past it. Reads no byte at or
 * above `end`, which must not be past the end of .text. Sets *target if the instruction
 * is a call or jump. */
gp_instruction gp_disasm_next(gp_disasm *decoder, uint64_t *address, uint64_t end,
                              uint64_t *target);

/* Decodes the instruction at *address, as gp_disasm_next does, and returns it in
 * assembler: a text that the next call changes. Addresses are written as <0x401000>. */
const char *gp_disasm_write(gp_disasm *decoder, uint64_t *address, uint64_t end);

/* Returns the address in an operand of the last instruction: the address of the data, or
 * the constant from which that address is computed. 0 if there is none. */
uint64_t gp_disasm_reference(const gp_disasm *decoder);

/* Whether calls can be identified on this architecture. Ask after decoding: on an
 * unlisted architecture this is known only once libopcodes has reported a call. */
bool gp_disasm_identifies_calls(const gp_disasm *decoder, gp_error *error);

#endif
