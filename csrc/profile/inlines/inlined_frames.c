/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extends paths of calls by the functions that were inlined at an address. */
#include "profile/inlines/inlined_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void gp_inlined_frames_init(gp_inlined_frames *frames, const gp_symtab_inlining *inlining,
                            gp_enter_frame *enter, void *tree) {
  memset(frames, 0, sizeof *frames);
  frames->inlining = inlining;
  frames->enter = enter;
  frames->tree = tree;
  gp_pairs_init(&frames->known);
}

void gp_inlined_frames_free(gp_inlined_frames *frames) {
  gp_pairs_free(&frames->known);
  free(frames->pending);
}

/* Returns the scope if it has a symbol. If it has none, neither have those around it. */
static uint32_t with_symbol(const gp_symtab_inlining *inlining, uint32_t scope) {
  return scope != GP_NONE && inlining->symbol[scope] != GP_NONE ? scope : GP_NONE;
}

uint32_t gp_inlined_symbol_at(const gp_symtab_inlining *inlining, uint64_t address) {
  uint32_t scope = with_symbol(inlining, gp_inline_map_find(&inlining->map, address));
  return scope == GP_NONE ? GP_NONE : inlining->symbol[scope];
}

/* Enters a scope, whose outer scope with a symbol is `outer`. */
static bool enter(gp_inlined_frames *frames, uint32_t base, uint32_t outer,
                  uint32_t scope, uint32_t *node) {
  const uint32_t *symbol = frames->inlining->symbol;
  uint32_t around = outer == GP_NONE ? GP_NONE : symbol[outer];
  if (!frames->enter(frames->tree, *node, around, symbol[scope], node)) return false;
  uint32_t row = gp_pairs_row(&frames->known, base, scope);
  if (row != GP_NONE) frames->known.amount[row] = *node;
  return row != GP_NONE;
}

bool gp_inlined_frames_enter(gp_inlined_frames *frames, uint32_t base, uint32_t above,
                             uint64_t address, uint32_t *node) {
  const gp_symtab_inlining *inlining = frames->inlining;
  const gp_pairs *known = &frames->known;
  uint32_t scope = with_symbol(inlining, gp_inline_map_find(&inlining->map, address));
  size_t count = 0;
  uint32_t row = GP_NONE;
  while (scope != GP_NONE) {
    row = gp_hash_find(&known->index, (gp_key){base, scope});
    if (row != GP_NONE) break;
    if (!GP_RESERVE(&frames->capacity, count + 1, GP_COLUMN(frames->pending)))
      return false;
    frames->pending[count++] = scope;
    scope = with_symbol(inlining, inlining->map.parent[scope]);
  }
  *node = row == GP_NONE ? above : (uint32_t)known->amount[row];
  while (count > 0) {
    uint32_t inner = frames->pending[--count];
    if (!enter(frames, base, scope, inner, node)) return false;
    scope = inner;
  }
  return true;
}
