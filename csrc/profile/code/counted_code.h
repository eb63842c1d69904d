/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Execution counts of all code, as far as they follow from block counts.
 *
 * A profile has only the blocks that ran. Each block begins with a call of the function
 * that counts it (runtime/blocks.c), so the other calls of that function begin blocks
 * that never ran.
 *
 * The code is divided into pieces at these calls and at jumps and their targets. A piece
 * that begins with such a call ran as often as the call. Other pieces have no counter:
 * gcc gives none to a block that consists of a jump, and comparisons for a switch have
 * none. Such a piece is known not to have run if it is reached only from code that never
 * ran.
 */
#ifndef GP_PROFILE_CODE_COUNTED_CODE_H
#define GP_PROFILE_CODE_COUNTED_CODE_H

#include "gmon/gmon.h"
#include "object/opcodes.h"
#include "symbols/symtab.h"

/* The name of the function in runtime/blocks.c that counts blocks. */
extern const char gp_block_counter[];

/* These stand for an unknown execution count of a piece. GP_UNCOUNTED_PART: the piece is
 * a part of a block whose counter precedes it, such as a comparison for a switch. */
#define GP_UNCOUNTED UINT64_MAX
#define GP_UNCOUNTED_PART (UINT64_MAX - 1)

typedef struct gp_counted_code {
  size_t block_count;
  uint64_t *block;        /* address of each block, as recorded; ascending */
  uint64_t *executions;
  uint64_t *code;         /* first address of the block's code, after the counting call;
                             the call itself if no code follows */

  size_t piece_count;     /* 0 if nothing is known */
  uint64_t *low;          /* first address of each piece, which ends where the next piece
                             begins; ascending */
  uint64_t *counts;       /* how often each piece was executed; or GP_UNCOUNTED, or
                             GP_UNCOUNTED_PART */
} gp_counted_code;

/* Decodes .text. Finds nothing if no block was recorded, if the code cannot be decoded,
 * if the landing pads of exceptions are not known, or if a recorded block is not at a
 * call of the counting function: then something else has counted the blocks. The table
 * must be by line. Errors: .text cannot be read; no memory. */
bool gp_counted_code_find(gp_counted_code *found, const gp_blocks *recorded,
                          const gp_image *image, const gp_symtab *symtab,
                          const gp_opcodes *opcodes, gp_error *error);
void gp_counted_code_free(gp_counted_code *code);

/* Returns the piece that contains an address; GP_NONE if it is below all pieces. */
uint32_t gp_counted_code_piece(const gp_counted_code *code, uint64_t address);

#endif
