/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/unnamed_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/call_frames.h"
#include "symbols/code_ends.h"

/* --- functions without symbols ------------------------------------------------------ */

bool gp_unnamed_code_read(gp_unnamed_code *code, const gp_image *image) {
  *code = (gp_unnamed_code){0};
  if (image->dynamic) code->ranges = gp_call_frames_ranges(image, &code->count);
  return code->ranges || !image->dynamic;
}

void gp_unnamed_code_free(gp_unnamed_code *code) {
  free(code->ranges);
  *code = (gp_unnamed_code){0};
}

bool gp_unnamed_code_next(const gp_unnamed_code *code, gp_range *range,
                          gp_unnamed_part *part) {
  const uint64_t low = range->low;
  if (low >= range->high) return false;
  const size_t i = gp_range_above(code->ranges, code->count, low);
  const gp_range *here = i < code->count ? &code->ranges[i] : NULL;
  const gp_range *next = here && here->low <= low ? here + 1 : here;
  uint64_t end = range->high;
  if (next && next < code->ranges + code->count && next->low < end) end = next->low;
  part->is_function = here && here->low == low;
  if (here && here->low <= low) end = gp_padded_end(here->high, end);
  part->range = (gp_range){low, end};
  range->low = end;
  return true;
}

char *gp_unnamed_code_name(char *text, const char *file, uint64_t address) {
  return text + sprintf(text, "<%s+0x%" PRIx64 ">", file, address) + 1;
}

size_t gp_unnamed_code_room(const gp_unnamed_code *code, const char *file) {
  return (code->count + 1) * (strlen(file) + sizeof "<+0x>" + 16);
}

/* --- a table with them -------------------------------------------------------------- */

/* The table that replaces another one. */
typedef struct filling {
  const gp_symtab *old;
  gp_symtab new;
  gp_unnamed_code code;
  const char *file;  /* the name of the program */
  char *text;        /* where the next name is stored */
  uint32_t *rows;    /* for each symbol of `old`: its row in `new` */
  uint32_t unnamed;  /* the first row outside functions, which owns the others;
                        GP_NONE */
} filling;

static bool allocate(filling *f) {
  gp_symtab *new = &f->new;
  const size_t count = 2 * (f->old->count + f->code.count) + 1;
  new->address = gp_column(count, sizeof *new->address);
  new->name = gp_column(count, sizeof *new->name);
  new->flags = gp_column(count, sizeof *new->flags);
  new->order = gp_column(count, sizeof *new->order);
  new->owner = gp_column(count, sizeof *new->owner);
  new->end = gp_column(count, sizeof *new->end);
  new->unnamed = gp_column(gp_unnamed_code_room(&f->code, f->file), 1);
  f->rows = gp_column(f->old->count, sizeof *f->rows);
  if (new->unnamed) f->text = new->unnamed + sprintf(new->unnamed, "<%s>", f->file) + 1;
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

static void append_part(filling *f, const gp_unnamed_part *part) {
  const uint32_t row = append(f, part->range.low, part->range.high);
  f->new.flags[row] = GP_FUNCTION | GP_STATIC;
  f->new.order[row] = UINT32_MAX - 1;
  if (part->is_function) {
    f->new.owner[row] = row;
    f->new.name[row] = f->text;
    f->text = gp_unnamed_code_name(f->text, f->file, part->range.low);
    return;
  }
  if (f->unnamed == GP_NONE) f->unnamed = row;
  f->new.owner[row] = f->unnamed;
  f->new.name[row] = f->new.unnamed;
}

static void append_unnamed(filling *f, uint64_t low, uint64_t high) {
  gp_range rest = {low, high};
  gp_unnamed_part part;
  while (gp_unnamed_code_next(&f->code, &rest, &part)) append_part(f, &part);
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
  filling f = {.old = symtab, .new = *symtab, .file = name, .unnamed = GP_NONE};
  f.new.count = 0;
  uint64_t *ends = gp_code_ends(symtab, image);
  const bool read = gp_unnamed_code_read(&f.code, image);
  const bool done = allocate(&f) && read && ends;  /* no column of *symtab is left in f */
  if (done) fill(&f, ends, image->code);
  f.new.text_high = image->code.high;
  free(ends);
  free(f.rows);
  gp_unnamed_code_free(&f.code);
  gp_symtab_free(done ? symtab : &f.new);
  if (done) *symtab = f.new;
  return done || gp_fail_memory(error);
}
