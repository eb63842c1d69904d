/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sizes of symbols.
 *
 * ELF symbols have a size, which libbfd does not expose. So we read it from the symbol
 * table in the file: a few entries at a time, or the whole table if many are needed.
 * Other formats have no symbol sizes.
 */
#ifndef GP_OBJECT_SYMBOL_SIZE_H
#define GP_OBJECT_SYMBOL_SIZE_H

#include "object/image.h"

/* A symbol table of an ELF file. It is read through a window. Lookups in address order
 * jump around in the table, so after many moves of the window the whole table is read. */
typedef struct gp_elf_symtab {
  bfd *file;
  gp_layout layout;         /* byte order, and the pointer size of the ELF class */
  uint64_t offset;          /* offset of the table in the file */
  uint64_t count;           /* number of entries, including the null symbol; 0: no
                               table */
  unsigned char *whole;     /* all entries; NULL: use the window */
  uint64_t moves;           /* number of times the window was read */
  uint64_t first, held;     /* the window has `held` entries, starting with `first` */
  unsigned char window[4096];
} gp_elf_symtab;

typedef struct gp_symbol_sizes {
  const gp_image *image;
  size_t dynamic;           /* symbols from this index on come from another file's
                               dynamic symbol table */
  gp_elf_symtab table, dynamic_table;
} gp_symbol_sizes;

/* Prepares to look up the symbol sizes of an image whose symbols have been read. False if
 * its format has no symbol sizes; then there is nothing to close. */
bool gp_symbol_sizes_open(gp_symbol_sizes *sizes, const gp_image *image);
void gp_symbol_sizes_close(gp_symbol_sizes *sizes);

/* Returns the size in bytes of the symbol image->symbols[number]. 0 if it has no size,
 * like labels in assembler code and synthetic symbols, or if the table cannot be read. */
uint64_t gp_symbol_sizes_size(gp_symbol_sizes *sizes, size_t number);

/* Returns one past the end of the symbol's code. Without a size, this is the end of its
 * section; without a section, UINT64_MAX. */
uint64_t gp_symbol_sizes_end(gp_symbol_sizes *sizes, size_t number);

#endif
