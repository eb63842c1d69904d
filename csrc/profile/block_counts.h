/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Execution counts of basic blocks, by symbol.
 *
 * In a table by line (line_symtab.h) the blocks of a symbol are the blocks that begin on
 * its line.
 */
#ifndef GP_PROFILE_BLOCK_COUNTS_H
#define GP_PROFILE_BLOCK_COUNTS_H

#include "symbols/symtab.h"

/* Blocks in the caller's columns. */
typedef struct gp_block_list {
  size_t count;
  const uint64_t *address, *executions;
  const uint64_t *code;  /* an address in each block's code, which decides its symbol */
} gp_block_list;

typedef struct gp_block_counts {
  size_t count;
  uint64_t *address;     /* address of each block; sorted by symbol, then in the order of
                            the list */
  uint64_t *executions;
  uint32_t *start;       /* for each symbol: its first block. One more element has the end
                            of the last symbol's blocks */
} gp_block_counts;

/* Assigns blocks to their symbols, at most the policy's `max_blocks` to each. Fails only
 * if there is no memory. */
bool gp_block_counts_build(gp_block_counts *table, const gp_block_list *blocks,
                           const gp_symtab *symtab, gp_error *error);
void gp_block_counts_free(gp_block_counts *table);

#endif
