/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line tables of an image, each opened once.
 *
 * Tables come in the order in which units first refer to them. If several units share a
 * table, the first unit gives the compilation directory. Units without wanted code can be
 * skipped.
 */
#ifndef GP_DEBUG_LINE_TABLES_H
#define GP_DEBUG_LINE_TABLES_H

#include "base/hash.h"
#include "debug/line_program.h"
#include "debug/range_lists.h"

typedef struct gp_line_tables {
  gp_dwarf dwarf;
  gp_units units;
  gp_range_lists lists;
  const gp_range *wanted;   /* units without code in these ranges are skipped; NULL: none
                               is skipped */
  size_t wanted_count;
  bool skipped;             /* a unit with a line table was skipped */
  gp_line_program program;  /* the current table */
  uint64_t budget;      /* bytes of tables left to read */
  size_t count, capacity;
  uint64_t *offset;     /* for each opened table: its offset in .debug_line */
  gp_hash index;        /* hash index of `offset` */
  bool unlike_libbfd;   /* libbfd reads a table differently: its unit is split, or unit
                           and table have different offset sizes */
} gp_line_tables;

/* Opens the debugging sections. Sets `*readable` to whether gp_dwarf_open can use them;
 * if not, there are no tables. False if there is no memory; the tables must be freed even
 * then. The address of `tables` must not change afterwards. */
bool gp_line_tables_open(gp_line_tables *tables, const gp_image *image, bool *readable);
void gp_line_tables_free(gp_line_tables *tables);

/* Skips the units that have no code in any of `count` ranges, which are ascending and
 * disjoint. */
void gp_line_tables_limit(gp_line_tables *tables, const gp_range *wanted, size_t count);

/* Opens the next table in `program`. False at the end, and if there is no memory. Sets
 * `*failed` if memory runs out, or ran out while the previous table was read. */
bool gp_line_tables_next(gp_line_tables *tables, bool *failed);

#endif
