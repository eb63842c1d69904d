/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line tables of an image, one after the other.
 *
 * Each is opened once, in the order in which units name them, however many units share
 * it: the first of them says where it was compiled.
 */
#ifndef GP_DEBUG_LINE_TABLES_H
#define GP_DEBUG_LINE_TABLES_H

#include "base/hash.h"
#include "debug/line_program.h"

typedef struct gp_line_tables {
  gp_dwarf dwarf;
  gp_units units;
  gp_line_program lines;       /* the table that is open */
  uint64_t left;        /* so many bytes of tables will still be read */
  size_t count, capacity;
  uint64_t *offset;     /* per table that was opened, where in .debug_line */
  gp_hash index;
  bool split;           /* compilers put some of a unit aside (units.h) */
  bool unlike;          /* libbfd reads them in a way of its own: of a unit that is split,
                           or not in the offset size of its table */
} gp_line_tables;

/* `readable` tells whether the image has debugging information of a kind that we read; if
 * not, there are no tables. False if there is no memory. The address of `tables` must not
 * change from here on. */
bool gp_line_tables_open(gp_line_tables *tables, const gp_image *image, bool *readable);
void gp_line_tables_free(gp_line_tables *tables);

/* Opens the next table in `lines`. False if there is none, or if it failed for want of
 * memory, be it with what was read of the table before. */
bool gp_line_tables_next(gp_line_tables *tables, bool *failed);

#endif
