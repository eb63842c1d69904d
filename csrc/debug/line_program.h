/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line table of a unit: an iteration over its rows.
 *
 * A line table is a program for a state machine (DWARF 5, section 6.2). It is executed
 * row by row; rows are not stored. A sequence of rows covers one contiguous range of
 * code. Each row covers the code up to the address of the next row; the last row marks
 * the end.
 */
#ifndef GP_DEBUG_LINE_PROGRAM_H
#define GP_DEBUG_LINE_PROGRAM_H

#include "debug/line_files.h"
#include "debug/units.h"

typedef struct gp_line_row {
  uint64_t address;
  uint64_t file;        /* number in the file table */
  bool file_set;        /* the program set `file`; otherwise `file` is 1, the default */
  uint32_t line;        /* 0: no line */
  uint32_t discriminator;  /* tells blocks of one line apart; 0 if there is only one */
  bool is_statement;    /* recommended breakpoint location */
  bool end;             /* the sequence ends before this address */
} gp_line_row;

typedef struct gp_line_program {
  gp_dwarf *dwarf;
  uint64_t offset;          /* offset of the table in .debug_line */
  size_t capacity;
  unsigned char *bytes;     /* the table */
  gp_cursor tables;         /* the directory and file tables */
  gp_cursor code;           /* the part of the program still to be executed */
  const unsigned char *operands;  /* operand counts of the standard opcodes 1, 2 ... */
  uint8_t instruction_size, operations, line_range, opcode_base;
  int8_t line_base;
  bool statement;           /* initial value of is_statement */

  gp_line_row row;          /* the state machine's registers, except: */
  uint64_t address;         /* may have the bit that selects the instruction set */
  uint64_t isa_bit;         /* that bit, which rows do not have; 0: rows have it, too */
  unsigned operation;       /* op_index: the operation within a VLIW instruction */
  bool malformed;
  bool files_read;          /* the tables have been read into `files` */
  gp_line_files files;
} gp_line_program;

/* Initializes the iterator. The iterator can open the tables of any number of units, one
 * after the other. */
void gp_line_program_init(gp_line_program *program, gp_dwarf *dwarf);
void gp_line_program_free(gp_line_program *program);

/* Opens the unit's line table. False if the unit has no line table, or an unusable
 * one. */
bool gp_line_program_open(gp_line_program *program, const gp_unit *unit);

/* Returns the next row, valid until the next call; NULL at the end. */
const gp_line_row *gp_line_program_next(gp_line_program *program);

/* Whether damage was found so far: the program could not be decoded, has an unknown
 * extended opcode, or its file table was read and is damaged. */
bool gp_line_program_malformed(const gp_line_program *program);

/* The size of the table in bytes; for an unusable table, the number of bytes read. */
size_t gp_line_program_size(const gp_line_program *program);

/* Whether the table is 32-bit DWARF and its unit 64-bit, or the reverse. */
bool gp_line_program_mixes_offsets(const gp_line_program *program);

/* The number of the first file: 1, or 0 since DWARF 5. */
unsigned gp_line_program_first_file(const gp_line_program *program);

/* One past the highest file number defined so far. The program may still define more
 * files. */
size_t gp_line_program_file_count(gp_line_program *program);

/* Returns the name of a file by its number (free() it); "<unknown>" if there is no such
 * file. NULL if there is no memory. */
char *gp_line_program_file(gp_line_program *program, uint64_t number);

#endif
