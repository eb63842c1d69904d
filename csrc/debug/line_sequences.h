/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sequences of all line tables that cover wanted code.
 *
 * A sequence is a run of line table rows that covers one contiguous range of code. One
 * pass over the tables keeps the wanted rows of each sequence.
 *
 * A sequence is dubious if its rows are not in address order; if it begins below .text
 * and reaches into it, mostly from address 0, as the linker discarded its code; or if it
 * begins below the first function symbol.
 */
#ifndef GP_DEBUG_LINE_SEQUENCES_H
#define GP_DEBUG_LINE_SEQUENCES_H

#include "debug/line_map.h"
#include "object/image.h"

typedef struct gp_sequence {
  uint64_t low, high;       /* the code that it covers */
  size_t first, end;        /* its wanted rows: `first` to `end` - 1 */
  bool dubious;             /* libbfd's answer cannot be told from the tables alone */
} gp_sequence;

typedef struct gp_line_sequences {
  size_t count, capacity;
  gp_sequence *sequence;    /* in the order of the tables */
  gp_line_map rows;         /* of all sequences, one after the other; without names */
  bool split;               /* a unit has more in another file; see units.h */
} gp_line_sequences;

/* Reads the sequences that overlap the wanted ranges, which ascend and are disjoint.
 * Files are numbered in `names`. Sets `*readable` to whether the tables are all that
 * libbfd goes by, and not too redundant; if not, libbfd has to be asked about every
 * address. Fails only if there is no memory; free the sequences then, too. */
bool gp_line_sequences_read(gp_line_sequences *sequences, gp_source_names *names,
                            const gp_image *image, bool as_libbfd, const gp_range *wanted,
                            size_t wanted_count, bool *readable);
void gp_line_sequences_free(gp_line_sequences *sequences);

#endif
