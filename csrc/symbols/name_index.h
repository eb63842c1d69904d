/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions by name.
 *
 * A name is looked up as it stands in the symbol table, or as it is in the source:
 * demangled, with or without the list of parameters. Several functions may share one.
 */
#ifndef GP_SYMBOLS_NAME_INDEX_H
#define GP_SYMBOLS_NAME_INDEX_H

#include "symbols/symtab.h"

typedef struct gp_name_index {
  const gp_symtab *symtab;
  const gp_image *image;
  gp_hash by_name;      /* the first function of each name */
  uint32_t *next;       /* the next one of the same name, or GP_NONE */
} gp_name_index;

/* Enters all names. Its address, the table and the image must outlive it. False if
 * there is no memory. */
bool gp_name_index_build(gp_name_index *index, const gp_symtab *symtab,
                         const gp_image *image);
void gp_name_index_free(gp_name_index *index);

/* The functions of that name (without the target's leading character) in address order:
 * a new column of *count numbers, to be freed; NULL if there is no memory. */
uint32_t *gp_name_index_find(const gp_name_index *index, const char *name, size_t *count);

/* The same for a demangled name. Costs more: names have to be demangled, though only
 * those that hold the longest identifier of this one. */
uint32_t *gp_name_index_demangled(const gp_name_index *index, const char *name,
                                  size_t *count);

#endif
