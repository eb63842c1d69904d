/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Visits the bins of a histogram that have samples, and the symbols in each bin.
 *
 * A bin covers units of two bytes of code. A symbol's part of a bin are the units that
 * both cover; a bin's samples are divided in proportion to these parts.
 */
#ifndef GP_PROFILE_BIN_WALK_H
#define GP_PROFILE_BIN_WALK_H

#include "gmon/gmon.h"
#include "symbols/symtab.h"

/* Bins are computed in units of this many bytes of text, as in profil(). */
#define GP_PROFIL_UNIT 2

typedef struct gp_bin_walk {
  const gp_histogram *histogram;
  const gp_symtab *symtab;
  double scale;         /* units per bin */
  size_t next;          /* the next bin to look at */
  uint32_t first;       /* first symbol that ends above the bin's start */
  uint32_t symbol;      /* the next symbol to look at */

  uint64_t count;       /* samples in the bin */
  uint64_t low, high;   /* its units */
} gp_bin_walk;

/* A symbol's part of a bin. */
typedef struct gp_bin_part {
  uint32_t symbol;
  uint64_t begin, end;  /* units */
} gp_bin_part;

/* Starts a walk. `scale` is the number of units per bin. */
void gp_bin_walk_start(gp_bin_walk *walk, const gp_histogram *histogram,
                       const gp_symtab *symtab, double scale);

/* Goes to the next bin that has samples. Returns whether there is one. */
bool gp_bin_walk_next(gp_bin_walk *walk);

/* Finds the next symbol in the bin. Returns whether there is one. */
bool gp_bin_walk_part(gp_bin_walk *walk, gp_bin_part *part);

#endif
