/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file table of a line table.
 *
 * The table lists every included header, and most of them are never needed. So only the
 * offsets of names are stored; a name is read and joined with its directory on demand.
 */
#ifndef GP_DEBUG_LINE_FILES_H
#define GP_DEBUG_LINE_FILES_H

#include "debug/dwarf.h"

typedef struct gp_line_files {
  gp_dwarf *dwarf;
  gp_unit_layout layout;    /* layout of the line table */
  gp_unit_layout comp_dir_layout;  /* layout of the unit, for `comp_dir` */
  gp_value comp_dir;        /* string: the directory that the unit was compiled in */
  unsigned first;           /* the number of the first file: 1, or 0 since DWARF 5 */
  size_t directory_count, directory_capacity;
  gp_value *directory;      /* strings */
  size_t count, capacity;
  gp_value *name;           /* strings */
  uint64_t *directory_of;   /* directory numbers; before DWARF 5, 0 is `comp_dir` */
} gp_line_files;

/* Reads the directory and file tables at the cursor. The line table begins at the
 * cursor's start, which is at `offset` in .debug_line. `files->layout` must be set. False
 * if the tables are damaged or there is no memory. Lack of memory sets `no_memory` of
 * .debug_line. */
bool gp_line_files_read(gp_line_files *files, gp_cursor *cursor, uint64_t offset);
void gp_line_files_free(gp_line_files *files);

/* Adds the file whose DWARF 2 entry is at the cursor (DW_LNE_define_file). Fails like
 * gp_line_files_read. */
bool gp_line_files_define(gp_line_files *files, gp_cursor *cursor, uint64_t offset);

/* Returns the name of a file (free() it), joined with its directories as libbfd joins
 * them; "<unknown>" if there is no such file, or if names are too long (string_budget).
 * NULL if there is no memory. */
char *gp_line_files_name(gp_line_files *files, uint64_t number);

#endif
