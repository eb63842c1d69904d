/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An index from names to functions.
 *
 * Finds functions by the name in the symbol table, or by the demangled name, with or
 * without parameters. Several functions may share a name.
 */
#ifndef GP_SYMBOLS_NAME_INDEX_H
#define GP_SYMBOLS_NAME_INDEX_H

#include "symbols/name_pattern.h"
#include "symbols/symtab.h"

typedef struct gp_name_index {
  const gp_symtab *symtab;
  const gp_image *image;
  gp_hash by_name;      /* the first function of each name */
  uint32_t *next;       /* for each function: the next one with the same name, or
                           GP_NONE */
} gp_name_index;

/* Indexes all names. The address of the index must not change; the table and the image
 * must outlive it. False if there is no memory. */
bool gp_name_index_build(gp_name_index *index, const gp_symtab *symtab,
                         const gp_image *image);
void gp_name_index_free(gp_name_index *index);

/* Returns the functions with a name (without the target's leading character), in address
 * order: an array (free() it) of `*count` symbol numbers. NULL if there is no memory. */
uint32_t *gp_name_index_find(const gp_name_index *index, const char *name, size_t *count);

/* Like gp_name_index_find, for a demangled name. The name either has no parameters, or
 * has them in the form that reports print. Slower than gp_name_index_find: demangles
 * every name that contains the longest identifier of the given name, or all names if none
 * of these matches. */
uint32_t *gp_name_index_demangled(const gp_name_index *index, const char *name,
                                  size_t *count);

/* Returns the functions whose names match a pattern, in the symbol table or demangled.
 * Demangles all names. */
uint32_t *gp_name_index_matching(const gp_name_index *index,
                                 const gp_name_pattern *pattern, size_t *count);

#endif
