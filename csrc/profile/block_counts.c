/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution counts of basic blocks, by symbol. */
#include "profile/block_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Finds the symbol of each block; GP_NONE if there is none, or if the symbol already has
 * max_blocks blocks. Counts the blocks of symbol s in `start[s + 1]`. */
static uint32_t *find_symbols(gp_block_counts *table, const gp_block_list *blocks,
                              const gp_symtab *symtab) {
  uint32_t *symbols = gp_column(blocks->count, sizeof *symbols);
  for (size_t i = 0; symbols && i < blocks->count; i++) {
    uint32_t symbol = symbols[i] = gp_symtab_find(symtab, blocks->code[i]);
    if (symbol == GP_NONE) continue;
    if (table->start[symbol + 1] >= symtab->policy->max_blocks)
      symbols[i] = GP_NONE;
    else
      table->start[symbol + 1]++;
  }
  return symbols;
}

/* Sorts the blocks by symbol with a counting sort. */
static bool group(gp_block_counts *table, const gp_block_list *blocks,
                  const uint32_t *symbols, size_t symbol_count) {
  uint32_t *next = gp_column(symbol_count + 1, sizeof *next);
  if (!next) return false;
  for (size_t s = 0; s < symbol_count; s++) table->start[s + 1] += table->start[s];
  memcpy(next, table->start, symbol_count * sizeof *next);
  for (size_t i = 0; i < blocks->count; i++) {
    if (symbols[i] == GP_NONE) continue;
    uint32_t place = next[symbols[i]]++;
    table->address[place] = blocks->address[i];
    table->executions[place] = blocks->executions[i];
    table->count++;
  }
  free(next);
  return true;
}

bool gp_block_counts_build(gp_block_counts *table, const gp_block_list *blocks,
                           const gp_symtab *symtab, gp_error *error) {
  memset(table, 0, sizeof *table);
  if (blocks->count == 0) return true;
  table->start = gp_column(symtab->count + 1, sizeof *table->start);
  table->address = gp_column(blocks->count, sizeof *table->address);
  table->executions = gp_column(blocks->count, sizeof *table->executions);
  uint32_t *symbols = table->start ? find_symbols(table, blocks, symtab) : NULL;
  bool done = table->address && table->executions && symbols &&
              group(table, blocks, symbols, symtab->count);
  free(symbols);
  if (done) return true;
  gp_block_counts_free(table);
  return gp_fail_memory(error);
}

void gp_block_counts_free(gp_block_counts *table) {
  free(table->address);
  free(table->executions);
  free(table->start);
  memset(table, 0, sizeof *table);
}
