/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sizes of symbols.
 *
 * ELF symbols have a size, which libbfd reads but does not expose. It is read here from
 * the symbol table in the file, a few entries at a time. Other formats have no sizes.
 */
#ifndef GP_OBJECT_SYMBOL_SIZE_H
#define GP_OBJECT_SYMBOL_SIZE_H

#include "object/image.h"

/* A symbol table of an ELF file, read through a window. */
typedef struct gp_elf_symtab {
  bfd *file;
  gp_layout layout;         /* with the pointer size of the ELF class */
  uint64_t offset;          /* of the table in the file */
  uint64_t count;           /* entries, the null symbol included; 0: no table */
  uint64_t first, held;     /* the window holds `held` entries from `first` */
  unsigned char window[4096];
} gp_elf_symtab;

/* The sizes of the symbols of an image. */
typedef struct gp_symbol_sizes {
  const gp_image *image;
  size_t dynamic;           /* symbols from here on are another file's dynamic ones */
  gp_elf_symtab table, dynamic_table;
} gp_symbol_sizes;

/* Prepares for an image whose symbols have been read. False if its format has no symbol
 * sizes. Nothing has to be freed. */
bool gp_symbol_sizes_open(gp_symbol_sizes *sizes, const gp_image *image);

/* The size in bytes of the symbol image->symbols[number]. 0 if it has none, as labels of
 * assembler code and synthetic symbols do, or if the table cannot be read. */
uint64_t gp_symbol_sizes_size(gp_symbol_sizes *sizes, size_t number);

/* One past the end of the symbol's code: by its size, or else the end of its section.
 * UINT64_MAX if it lies in no section. */
uint64_t gp_symbol_sizes_end(gp_symbol_sizes *sizes, size_t number);

#endif
