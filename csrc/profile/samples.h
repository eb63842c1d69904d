/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assigns samples to functions.
 *
 * Divides the samples of a bin among the functions whose code it covers, in proportion to
 * the overlap. A tick is one sample; functions can get fractions of a tick.
 */
#ifndef GP_PROFILE_SAMPLES_H
#define GP_PROFILE_SAMPLES_H

#include "gmon/gmon.h"
#include "profile/inlines/inlined_ticks.h"
#include "profile/selection.h"
#include "symbols/symtab.h"

typedef struct gp_samples {
  double *ticks;     /* ticks of each symbol */
  double *inlined;   /* the part of `ticks` in inlined code; NULL if inlined functions
                        have no symbols */
  gp_inlined_ticks *trees;  /* the same by the functions into which they were inlined;
                               NULL if call paths tell */
  double total;      /* ticks of all bins, except in functions that are not selected */
  double counted;    /* ticks of all bins */
  double assigned;   /* ticks in the code of a symbol, selected or not */
  double rate;       /* ticks per second, or per another unit; 0 without a histogram */
  double scale;      /* two-byte units of text per bin; 0 without a histogram */
  char dimension[16];  /* name of the unit, such as "seconds"; empty without a
                          histogram */
  char abbreviation;   /* abbreviation of the unit, such as 's'; may be NUL */
} gp_samples;

/* Assigns the samples of `data` to the symbols that `flat` selects. `restricted` is
 * whether the user made that selection. If inlined functions have symbols, samples in
 * their code are theirs; if `has_paths`, gp_measured_self assigns the samples to them.
 * Fails only if there is no memory. */
bool gp_samples_assign(gp_samples *samples, const gp_data *data, const gp_symtab *symtab,
                       const gp_selection *flat, bool restricted, bool has_paths,
                       gp_error *error);
void gp_samples_free(gp_samples *samples);

#endif
