/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Basic blocks on symbols.
 *
 * Which blocks the code of each symbol has, and how often they were executed. In a table
 * by line (linetab.h) these are the blocks that begin on that line.
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

/* GNU gprof's symbols have room for so many blocks, and lose the others. */
#define GP_GNU_BLOCKS 10

/* Puts the blocks of `data` on the symbols that they lie in, at most `most` on each. */
bool gp_block_counts_build(gp_block_counts *table, const gp_data *data,
                           const gp_symtab *symtab, size_t most, gp_error *error);
void gp_block_counts_free(gp_block_counts *table);

#endif
