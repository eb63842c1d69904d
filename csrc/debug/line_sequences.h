/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sequences of all line tables that cover wanted code.
 *
 * A sequence is a run of line table rows that covers one contiguous range of code. One
 * pass over the tables stores the wanted rows of each sequence.
 *
 * A sequence is dubious if its rows are not in address order, or if it begins below the
 * first function symbol (below .text, if no symbols were read). A low start often means
 * that the linker discarded the code: the sequence then begins at address 0 and reaches
 * into .text.
 */
#ifndef GP_DEBUG_LINE_SEQUENCES_H
#define GP_DEBUG_LINE_SEQUENCES_H

#include "debug/line_map.h"
#include "debug/source_paths.h"
#include "object/image.h"

typedef struct gp_sequence {
  uint64_t low, high;       /* addresses covered: low to high - 1 */
  size_t first, end;        /* the wanted rows of the sequence: `first` to `end` - 1 */
  bool dubious;             /* the tables do not show what libbfd would answer */
} gp_sequence;

typedef struct gp_line_sequences {
  size_t count, capacity;
  gp_sequence *sequence;    /* in the order of the tables */
  gp_line_map rows;         /* rows of all sequences, concatenated; `rows.names` is not
                               used */
  bool costly;              /* libbfd would need too much time for the tables */
  bool partial;             /* the tables of some units were not read */
} gp_line_sequences;

/* Which line tables are read, and how. */
typedef enum gp_line_reading {
  GP_LINES_OF_UNITS,        /* the tables of units that have wanted code */
  GP_LINES_OF_ALL,          /* all tables */
  GP_LINES_AS_LIBBFD        /* all tables, as libbfd does */
} gp_line_reading;

/* Reads the sequences that overlap the wanted ranges, which must be ascending and
 * disjoint. Files get numbers in `paths`. Clears `*readable` if the tables are too
 * redundant, or if libbfd may read other tables; then libbfd must be asked about every
 * address. False only if there is no memory; the sequences must be freed even then. */
bool gp_line_sequences_read(gp_line_sequences *sequences, gp_source_paths *paths,
                            const gp_image *image, gp_line_reading how,
                            const gp_range *wanted, size_t wanted_count, bool *readable);
void gp_line_sequences_free(gp_line_sequences *sequences);

#endif
