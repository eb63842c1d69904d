/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples on functions.
 *
 * Hands the samples of every bin to the functions whose code the bin covers, in
 * proportion to the overlap. A tick is one sample; functions get fractions of it.
 */
#ifndef GP_PROFILE_SAMPLES_H
#define GP_PROFILE_SAMPLES_H

#include "gmon/gmon.h"
#include "profile/selection.h"
#include "symbols/symtab.h"

/* Bytes in profil's unit of text, in which positions of bins are computed. */
#define GP_PROFIL_UNIT 2

typedef struct gp_samples {
  double *ticks;     /* per symbol */
  double total;      /* ticks of all bins, less those of functions left out */
  double counted;    /* ticks of all bins */
  double assigned;   /* ticks that met a symbol at all */
  double rate;       /* ticks a second (or unit); 0 without a histogram */
  double scale;      /* two-byte units of text a bin; 0 without a histogram */
  char dimension[16];  /* what a count is of; empty without a histogram */
  char abbreviation;   /* may be NUL */
} gp_samples;

/* Assigns the samples of `data` to the symbols that `flat` selects. */
bool gp_samples_assign(gp_samples *samples, const gp_data *data, const gp_symtab *symtab,
                       const gp_selection *flat, gp_error *error);
void gp_samples_free(gp_samples *samples);

#endif
