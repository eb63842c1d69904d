/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of all line tables that tell of wanted code.
 *
 * One pass over the tables, which keeps of each sequence the rows that are wanted, and
 * nothing of a sequence without any. A sequence is dubious if its rows are not in the
 * order of addresses; if it begins below .text and reaches into it, mostly from 0, as the
 * linker threw its code away; and if it begins where no symbol names a function.
 */
#ifndef GP_DEBUG_LINE_SEQUENCES_H
#define GP_DEBUG_LINE_SEQUENCES_H

#include "debug/line_map.h"

typedef struct gp_sequence {
  uint64_t low, high;       /* the code that it tells of */
  size_t first, last;       /* its wanted rows; `last` is behind them */
  bool dubious;             /* tables alone do not tell what libbfd says of it */
} gp_sequence;

typedef struct gp_line_sequences {
  size_t count, capacity;
  gp_sequence *sequence;    /* in the order of the tables */
  gp_line_map rows;          /* stretches of code, without names of files */
  bool split;               /* a unit has more in another file; see units.h */
} gp_line_sequences;

/* Reads them. `readable` tells whether the tables are all that libbfd goes by, and do not
 * tell of the same code over and over again; if not, it has to be asked. Files are
 * numbered in `files`. False if there is no memory. */
bool gp_line_sequences_read(gp_line_sequences *rows, gp_source_names *files,
                            const gp_image *image, bool as_libbfd, const gp_range *wanted,
                            size_t wanted_count, bool *readable);
void gp_line_sequences_free(gp_line_sequences *rows);

#endif
