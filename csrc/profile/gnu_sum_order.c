/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of records in the sums that GNU gprof writes. */
#include "profile/gnu_sum_order.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "profile/callgraph.h"

/* Columns with a row for each record. */
typedef struct places {
  uint32_t *symbol;   /* the caller, or the symbol of a block; or GP_NONE */
  uint32_t *callee;   /* the function that a call enters, or GP_NONE */
  uint32_t *first;    /* the first record with the same caller and callee */
} places;

static gp_key pair_key(const void *columns, uint32_t row) {
  const places *p = columns;
  return (gp_key){p->symbol[row], p->callee[row]};
}

static bool is_call_before(const void *context, uint32_t b, uint32_t a) {
  const places *p = context;
  if (p->symbol[b] != p->symbol[a]) return p->symbol[b] < p->symbol[a];
  return p->symbol[b] != GP_NONE && p->first[b] > p->first[a];
}

static bool is_block_before(const void *context, uint32_t b, uint32_t a) {
  const places *p = context;
  return p->symbol[b] < p->symbol[a];
}

/* Finds the caller and the callee of each arc. Both are GP_NONE if the call enters
 * no known function. */
static bool find_ends(places *p, const gp_arcs *arcs, const gp_symtab *symtab) {
  uint32_t *entered = gp_callgraph_entered(symtab);
  if (!entered) return false;
  for (size_t i = 0; i < arcs->count; i++) {
    uint32_t callee = gp_symtab_find(symtab, arcs->self[i]);
    p->symbol[i] = gp_symtab_find(symtab, arcs->from[i]);
    p->callee[i] = callee != GP_NONE ? entered[callee] : GP_NONE;
    if (p->callee[i] == GP_NONE) p->symbol[i] = GP_NONE;
  }
  free(entered);
  return true;
}

static bool find_first(places *p, size_t count) {
  gp_hash pairs;
  gp_hash_init(&pairs, pair_key, p);
  bool done = true;
  for (uint32_t i = 0; done && i < count; i++) {
    uint32_t first = gp_hash_find(&pairs, pair_key(p, i));
    p->first[i] = first != GP_NONE ? first : i;
    if (first == GP_NONE) done = gp_hash_add(&pairs, i);
  }
  gp_hash_free(&pairs);
  return done;
}

static bool sort_arcs(uint32_t *rows, const gp_arcs *arcs, const gp_symtab *symtab) {
  places p = {gp_column(arcs->count, sizeof *p.symbol),
              gp_column(arcs->count, sizeof *p.callee),
              gp_column(arcs->count, sizeof *p.first)};
  bool done = p.symbol && p.callee && p.first && find_ends(&p, arcs, symtab) &&
              find_first(&p, arcs->count) &&
              gp_sort(rows, arcs->count, is_call_before, &p);
  free(p.symbol);
  free(p.callee);
  free(p.first);
  return done;
}

static bool sort_blocks(uint32_t *rows, const gp_blocks *blocks,
                        const gp_symtab *symtab) {
  places p = {.symbol = gp_column(blocks->count, sizeof *p.symbol)};
  for (size_t i = 0; p.symbol && i < blocks->count; i++)
    p.symbol[i] = gp_symtab_find(symtab, blocks->address[i]);
  bool done = p.symbol && gp_sort(rows, blocks->count, is_block_before, &p);
  free(p.symbol);
  return done;
}

bool gp_gnu_sum_order_find(gp_record_order *order, const gp_data *data,
                           const gp_symtab *symtab, gp_error *error) {
  order->arcs = gp_identity(data->arcs.count);
  order->blocks = gp_identity(data->blocks.count);
  return (order->arcs && order->blocks && sort_arcs(order->arcs, &data->arcs, symtab) &&
          sort_blocks(order->blocks, &data->blocks, symtab)) || gp_fail_memory(error);
}
