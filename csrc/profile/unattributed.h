/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples on code that no symbol covers.
 *
 * What lies between the end of a symbol, by its size, and the next one counts for the
 * former: stubs of the procedure linkage, which have no symbols of their own, parts of a
 * program that were stripped, assembler beyond a .size. Here is told how much that is.
 *
 * Only symbols with samples are looked at. Most have no samples past their ends.
 */
#ifndef GP_PROFILE_UNATTRIBUTED_H
#define GP_PROFILE_UNATTRIBUTED_H

#include "base/range.h"
#include "profile/samples.h"

typedef struct gp_unattributed {
  bool known;           /* an ELF image, and there are samples */
  double ticks;         /* in bins that are of such code altogether */
  double most;          /* those of one range, where there are most: */
  gp_range range;       /*   that is empty if there are none at all */
  uint32_t function;    /* that they count for */
} gp_unattributed;

/* Looks past the ends of symbols that have samples. Nothing is known for tables from
 * symbol files, and if the policy is not unattributed_measured. Error: no memory. */
bool gp_unattributed_find(gp_unattributed *found, const gp_image *image,
                          const gp_symtab *symtab, const gp_samples *samples,
                          const gp_data *data, gp_error *error);

#endif
