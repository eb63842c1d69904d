/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file table of a line table.
 *
 * It lists every header that was included. So only the offsets of the names are kept; a
 * name is read, and joined with its directory, on demand.
 */
#ifndef GP_DEBUG_LINE_FILES_H
#define GP_DEBUG_LINE_FILES_H

#include "debug/dwarf.h"

typedef struct gp_line_files {
  gp_dwarf *dwarf;
  gp_unit_layout layout;    /* the table's */
  gp_unit_layout home_layout;
  gp_value home;            /* text: the directory that the unit was compiled in */
  unsigned first;           /* the number of the first file: 1, or 0 since DWARF 5 */
  size_t directory_count, directory_capacity;
  gp_value *directory;      /* text */
  size_t count, capacity;
  gp_value *name;           /* text */
  uint64_t *directory_of;   /* its number: 0 is `home` before DWARF 5 */
} gp_line_files;

/* Reads the tables of directories and files at the cursor, of a line table that begins at
 * `offset` of .debug_line and at the cursor's start. `layout` has the table's version.
 * False if they are damaged. */
bool gp_line_files_read(gp_line_files *files, gp_cursor *cursor, uint64_t offset);
void gp_line_files_free(gp_line_files *files);

/* Adds a file that is defined at the cursor, in the way of DWARF 2. */
bool gp_line_files_define(gp_line_files *files, gp_cursor *cursor, uint64_t offset);

/* The name of a file (free() it), with its directories as libbfd joins them: "<unknown>"
 * if it has none. NULL if there is no memory. */
char *gp_line_files_name(gp_line_files *files, uint64_t number);

#endif
