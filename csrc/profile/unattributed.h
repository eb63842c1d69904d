/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples in code that no symbol covers.
 *
 * Reports attribute code between the end of a symbol, by its size, and the next symbol to
 * the former. Such code can be a stub in .plt, a stripped function, or assembler code
 * after a .size. This file measures how many samples are in it.
 *
 * Only symbols with samples are examined. Most have none past their ends.
 */
#ifndef GP_PROFILE_UNATTRIBUTED_H
#define GP_PROFILE_UNATTRIBUTED_H

#include "base/range.h"
#include "profile/samples.h"

typedef struct gp_unattributed {
  bool known;           /* false without samples, and for images other than ELF */
  double ticks;         /* in bins entirely within such code */
  double most;          /* ticks of the range with the most of them */
  gp_range range;       /* that range; empty if there are no such ticks */
  uint32_t function;    /* the function that its ticks are attributed to */
} gp_unattributed;

/* Measures such samples. Leaves `known` false for tables from symbol files, and without
 * the policy unattributed_measured. Fails only if there is no memory. */
bool gp_unattributed_find(gp_unattributed *found, const gp_image *image,
                          const gp_symtab *symtab, const gp_samples *samples,
                          const gp_data *data, gp_error *error);

#endif
