/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples in code that no symbol covers, and calls to it.
 *
 * Between the end of a symbol, given by its size, and the next symbol, there may be other
 * code: a stub in .plt, a stripped function, or assembler code after a .size. Reports
 * attribute this code to the symbol before it. This file counts the samples in such code.
 *
 * Only symbols with samples are examined. Most symbols have no samples past their ends.
 */
#ifndef GP_PROFILE_UNATTRIBUTED_H
#define GP_PROFILE_UNATTRIBUTED_H

#include "base/range.h"
#include "profile/samples.h"

typedef struct gp_unattributed {
  bool known;           /* false if there are no samples, or if the image is not ELF */
  double ticks;         /* ticks in bins entirely within code that no symbol covers */
  double most;          /* the part of `ticks` in the range with the most ticks */
  gp_range range;       /* the range with the most ticks; empty if `ticks` is 0 */
  uint32_t function;    /* the function to which the ticks of this range are attributed */
} gp_unattributed;

/* Measures the samples in code that no symbol covers. Leaves `known` false for tables
 * from symbol files, and without the policy unattributed_measured. Fails only if there is
 * no memory. */
bool gp_unattributed_find(gp_unattributed *found, const gp_image *image,
                          const gp_symtab *symtab, const gp_samples *samples,
                          const gp_data *data, gp_error *error);

/* Returns the number of arcs that lead to code that no symbol covers. 0 if the image has
 * no symbol sizes, or for tables from symbol files or of several images. */
size_t gp_unattributed_callees(const gp_image *image, const gp_symtab *symtab,
                               const gp_data *data);

#endif
