/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/unnamed_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "symbols/code_ends.h"

/* The table that replaces another one. */
typedef struct filling {
  const gp_symtab *old;
  gp_symtab new;
  uint32_t *rows;    /* for each symbol of `old`: its row in `new` */
  uint32_t unnamed;  /* the first row without a symbol, which owns the others; GP_NONE */
} filling;

static bool allocate(filling *f, const char *name) {
  gp_symtab *new = &f->new;
  const size_t count = 2 * f->old->count + 1, room = strlen(name) + sizeof "<>";
  new->address = gp_column(count, sizeof *new->address);
  new->name = gp_column(count, sizeof *new->name);
  new->flags = gp_column(count, sizeof *new->flags);
  new->order = gp_column(count, sizeof *new->order);
  new->owner = gp_column(count, sizeof *new->owner);
  new->end = gp_column(count, sizeof *new->end);
  new->unnamed = gp_column(room, 1);
  f->rows = gp_column(f->old->count, sizeof *f->rows);
  if (new->unnamed) snprintf(new->unnamed, room, "<%s>", name);
  return new->address && new->name && new->flags && new->order && new->owner &&
         new->end && new->unnamed && f->rows;
}

/* Appends a row for the addresses `low` to `high` - 1, which has no symbol yet. */
static uint32_t append(filling *f, uint64_t low, uint64_t high) {
  const uint32_t row = (uint32_t)f->new.count++;
  f->new.address[row] = low;
  f->new.end[row] = high - 1;
  return row;
}

static void append_unnamed(filling *f, uint64_t low, uint64_t high) {
  if (low >= high) return;
  const uint32_t row = append(f, low, high);
  if (f->unnamed == GP_NONE) f->unnamed = row;
  f->new.name[row] = f->new.unnamed;
  f->new.flags[row] = GP_FUNCTION | GP_STATIC;
  f->new.order[row] = UINT32_MAX - 1;
  f->new.owner[row] = f->unnamed;
}

static void append_symbol(filling *f, uint32_t s, uint64_t end) {
  const uint32_t row = f->rows[s] = append(f, f->old->address[s], end);
  f->new.name[row] = f->old->name[s];
  f->new.flags[row] = f->old->flags[s];
  f->new.order[row] = f->old->order[s];
}

static void fill(filling *f, const uint64_t *ends, gp_range code) {
  const gp_symtab *old = f->old;
  uint64_t covered = code.low;
  for (uint32_t s = 0; s < old->count; s++) {
    append_unnamed(f, covered, old->address[s]);
    covered = gp_code_end(old, ends, s, (uint32_t)old->count, code.high);
    append_symbol(f, s, covered);
  }
  append_unnamed(f, covered, code.high);
  for (uint32_t s = 0; s < old->count; s++) /* functions own cold parts */
    f->new.owner[f->rows[s]] = f->rows[gp_symtab_owner(old, s)];
}

bool gp_unnamed_code_add(gp_symtab *symtab, const gp_image *image, const char *name,
                         gp_error *error) {
  filling f = {.old = symtab, .new = *symtab, .unnamed = GP_NONE};
  f.new.count = 0;
  uint64_t *ends = gp_code_ends(symtab, image);
  const bool done = allocate(&f, name) && ends;
  if (done) fill(&f, ends, image->code);
  f.new.text_high = image->code.high;
  free(ends);
  free(f.rows);
  gp_symtab_free(done ? symtab : &f.new);
  if (done) *symtab = f.new;
  return done || gp_fail_memory(error);
}
