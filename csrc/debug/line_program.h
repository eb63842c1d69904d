/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line table of a unit: an iteration over its rows.
 *
 * The table is a program for a small machine (DWARF 5, section 6.2), which is run row by
 * row; no row is kept. A sequence of rows tells of one stretch of code: each row of the
 * code from its address to that of the next one, and the last row where the code ends.
 */
#ifndef GP_DEBUG_LINE_PROGRAM_H
#define GP_DEBUG_LINE_PROGRAM_H

#include "debug/line_files.h"
#include "debug/units.h"

typedef struct gp_line_row {
  uint64_t address;
  uint64_t file;        /* number in the table of files, */
  bool file_set;        /*   set by the program: it is 1 otherwise */
  uint32_t line;        /* 0: of no line */
  bool is_statement;    /* a good place for a breakpoint */
  bool end;             /* the sequence ends at the address */
} gp_line_row;

typedef struct gp_line_program {
  gp_dwarf *dwarf;
  uint64_t offset;          /* of the table, in .debug_line */
  size_t capacity;
  unsigned char *bytes;     /* the table */
  gp_cursor tables;         /* where its tables of directories and files are */
  gp_cursor program;        /* what is left of the program */
  const unsigned char *operands;  /* per standard opcode, from 1: how many it has */
  uint8_t instruction_size, operations, line_range, opcode_base;
  int8_t line_base;
  bool statement;           /* what is_statement begins with */

  gp_line_row row;          /* the machine's registers */
  unsigned operation;       /* in an instruction of several */
  bool odd;                 /* something made no sense */
  bool named;               /* `files` were read */
  gp_line_files files;
} gp_line_program;

/* Prepares an iteration, which can be opened for one unit after the other. */
void gp_line_program_init(gp_line_program *lines, gp_dwarf *dwarf);
void gp_line_program_free(gp_line_program *lines);

/* Opens the unit's table. False if it has none, or none that makes sense. */
bool gp_line_program_open(gp_line_program *lines, const gp_unit *unit);

/* The next row, which stands until the next call; NULL at the end. */
const gp_line_row *gp_line_program_next(gp_line_program *lines);

/* Whether the program had to be given up, or has opcodes that nobody knows; or names of
 * files were asked for, and their tables make no sense. */
bool gp_line_program_strange(const gp_line_program *lines);

/* The size of the table in bytes: as much as was read of one that makes no sense. */
size_t gp_line_program_size(const gp_line_program *lines);

/* Whether names of its files are offsets of another size than the unit's. */
bool gp_line_program_mixed(const gp_line_program *lines);

/* The number of the first file, if there is any. */
unsigned gp_line_program_first_file(const gp_line_program *lines);

/* A number that no file of the table has, nor any above it. More files may be defined as
 * the iteration goes on. */
size_t gp_line_program_file_count(gp_line_program *lines);

/* The name of a file by its number (free() it): "<unknown>" if there is no such file.
 * NULL if there is no memory. */
char *gp_line_program_file(gp_line_program *lines, uint64_t number);

#endif
