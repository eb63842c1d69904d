/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line tables of an image, one after the other.
 *
 * Each table is opened once, in the order in which units refer to them. If several units
 * share a table, the first gives the directory of the compilation.
 */
#ifndef GP_DEBUG_LINE_TABLES_H
#define GP_DEBUG_LINE_TABLES_H

#include "base/hash.h"
#include "debug/line_program.h"

typedef struct gp_line_tables {
  gp_dwarf dwarf;
  gp_units units;
  gp_line_program program;  /* the table that is open */
  uint64_t budget;      /* bytes of tables that may still be read */
  size_t count, capacity;
  uint64_t *offset;     /* per table that was opened: where it is in .debug_line */
  gp_hash index;        /* of the offsets */
  bool split;           /* a unit has more in another file; see units.h */
  bool unlike_libbfd;   /* libbfd reads a table differently: its unit is split, or has
                           another offset size than the table */
} gp_line_tables;

/* Sets `*readable` to whether the image has debugging information of a kind that is read
 * here; if not, there are no tables. False if there is no memory. The address of `tables`
 * must not change from here on. */
bool gp_line_tables_open(gp_line_tables *tables, const gp_image *image, bool *readable);
void gp_line_tables_free(gp_line_tables *tables);

/* Opens the next table in `program`. False at the end, and if there is no memory, which
 * sets `*failed`; the memory may also have been missing for the table before. */
bool gp_line_tables_next(gp_line_tables *tables, bool *failed);

#endif
