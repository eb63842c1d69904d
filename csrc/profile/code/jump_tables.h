/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Jump tables of switch statements, in .rodata.
 *
 * A table lists where an indirect jump leads. Its entries are addresses, or signed 32-bit
 * offsets from the beginning of the table. The length of a table is not recorded: it ends
 * where the next table begins, or before the first entry that does not lead into the
 * function.
 */
#ifndef GP_PROFILE_CODE_JUMP_TABLES_H
#define GP_PROFILE_CODE_JUMP_TABLES_H

#include "object/section.h"
#include "symbols/symtab.h"

typedef struct gp_jump_table {
  uint64_t address;
  uint32_t function;      /* the function that uses the table */
  bool relative;          /* the entries are offsets */
  size_t first, end;      /* the table's rows in `target` */
  bool done;              /* for use by the caller; false at first */
} gp_jump_table;

typedef struct gp_jump_tables {
  const gp_symtab *symtab;
  bfd *file;
  gp_contents data;       /* .rodata */
  size_t pointer_size;

  size_t count, capacity;
  gp_jump_table *table;
  size_t target_count, target_capacity;
  uint64_t *target;       /* set by gp_jump_tables_read */
} gp_jump_tables;

/* Reads .rodata. False if there is no memory; without .rodata there are no tables. */
bool gp_jump_tables_open(gp_jump_tables *tables, const gp_image *image,
                         const gp_symtab *symtab);
void gp_jump_tables_free(gp_jump_tables *tables);

/* Whether a function has a jump table at `address`. The first entry of the table must
 * lead into the function. */
bool gp_jump_tables_has(const gp_jump_tables *tables, uint64_t address,
                        uint32_t function);

/* Adds a table for which gp_jump_tables_has returned true. False if there is no
 * memory. */
bool gp_jump_tables_add(gp_jump_tables *tables, uint64_t address, uint32_t function);

/* Reads all tables that were added. False if there is no memory. */
bool gp_jump_tables_read(gp_jump_tables *tables);

/* Returns the table of a function at `address`; NULL if there is none. */
gp_jump_table *gp_jump_tables_find(gp_jump_tables *tables, uint64_t address,
                                   uint32_t function);

#endif
