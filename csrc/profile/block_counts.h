/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Basic blocks on symbols.
 *
 * Which blocks the code of each symbol has, and how often they were executed. In a table
 * by line (line_symtab.h) these are the blocks that begin on that line.
 */
#ifndef GP_PROFILE_BLOCK_COUNTS_H
#define GP_PROFILE_BLOCK_COUNTS_H

#include "gmon/gmon.h"
#include "symbols/symtab.h"

typedef struct gp_block_counts {
  size_t count;
  uint64_t *address;     /* per block, by symbol, as they were met */
  uint64_t *executions;
  uint32_t *start;       /* per symbol: its first block; one more than symbols */
} gp_block_counts;

/* Assigns the blocks of `data` to the symbols that they lie in, at most `max_blocks` of
 * the policy to each. Error: no memory. */
bool gp_block_counts_build(gp_block_counts *table, const gp_data *data,
                           const gp_symtab *symtab, gp_error *error);
void gp_block_counts_free(gp_block_counts *table);

#endif
