/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often source lines were executed, by the counts of basic blocks. */
#include "profile/line_executions.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/count.h"
#include "base/sort.h"
#include "profile/annotation.h"

/* The code of a symbol: the copy of a line that it belongs to, and how often it was
 * executed. */
typedef struct code {
  uint32_t line;
  uint32_t function;
  uint32_t copy;          /* a scope that was inlined into the function, or GP_NONE */
  uint64_t executions;
} code;

static bool is_before(const void *context, uint32_t b, uint32_t a) {
  const code *y = (const code *)context + b, *x = (const code *)context + a;
  if (y->line != x->line) return y->line < x->line;
  if (y->function != x->function) return y->function < x->function;
  return y->copy < x->copy;
}

static void at_least(uint64_t *most, uint64_t count) {
  if (count > *most) *most = count;
}

static uint64_t executions_of(const gp_profile *profile, uint32_t symbol) {
  const gp_symtab *symtab = profile->symtab;
  const gp_block_counts *blocks = &profile->blocks;
  uint64_t most = gp_symtab_is_line(symtab, symbol) ? 0 : profile->graph.calls[symbol];
  if (blocks->count > 0)
    for (size_t i = blocks->start[symbol]; i < blocks->start[symbol + 1]; i++)
      at_least(&most, blocks->executions[i]);
  uint32_t piece = gp_counted_code_piece(&profile->code, symtab->address[symbol]);
  if (piece != GP_NONE && profile->code.counts[piece] < GP_UNCOUNTED_PART)
    at_least(&most, profile->code.counts[piece]);
  return most;
}

/* Returns the inlined copy that contains an address; GP_NONE in the function's own code,
 * and if that is unknown. */
static uint32_t copy_at(const gp_inline_map *map, uint64_t address) {
  uint32_t scope = map->count > 0 ? gp_inline_map_find(map, address) : GP_NONE;
  return scope != GP_NONE && map->parent[scope] != GP_NONE ? scope : GP_NONE;
}

/* Adds up the copies of each line. `order` has the copies in ascending order. Returns the
 * number of lines. */
static size_t add_up(gp_executed_line *lines, const code *codes, const uint32_t *order,
                     size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count;) {
    const code *copy = &codes[order[i]];
    uint64_t most = 0;
    for (; i < count; i++) {
      const code *next = &codes[order[i]];
      if (next->line != copy->line || next->function != copy->function ||
          next->copy != copy->copy)
        break;
      at_least(&most, next->executions);
    }
    if (found == 0 || lines[found - 1].line != copy->line)
      lines[found++] = (gp_executed_line){copy->line, 0};
    uint64_t *sum = &lines[found - 1].executions;
    if (!gp_count_add(sum, most)) *sum = INT64_MAX;
  }
  return found;
}

/* Returns the code of the selected symbols of a file. NULL if there is no memory. */
static code *codes_of(const gp_profile *profile, const gp_symbol_sources *sources,
                      uint32_t file, size_t *count) {
  size_t first = sources->start[file], end = sources->start[file + 1];
  code *codes = gp_column(end - first, sizeof *codes);
  *count = 0;
  const gp_symtab_lines *lines = profile->symtab->lines;
  for (size_t i = first; codes && i < end; i++) {
    uint32_t symbol = sources->by_file[i];
    if (gp_annotation_selects(profile, symbol))
      codes[(*count)++] =
          (code){sources->line[symbol], lines->function[symbol],
                 copy_at(&lines->chains, profile->symtab->address[symbol]),
                 executions_of(profile, symbol)};
  }
  return codes;
}

gp_executed_line *gp_line_executions(const gp_profile *profile,
                                     const gp_symbol_sources *sources, uint32_t file,
                                     size_t *count) {
  size_t all;
  code *codes = codes_of(profile, sources, file, &all);
  uint32_t *order = gp_identity(all);
  gp_executed_line *lines = gp_column(all, sizeof *lines);
  bool done = codes && order && lines && gp_sort(order, all, is_before, codes);
  *count = done ? add_up(lines, codes, order, all) : 0;
  free(codes);
  free(order);
  if (done) return lines;
  free(lines);
  return NULL;
}
