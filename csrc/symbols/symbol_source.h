/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source file and line of every symbol, and the functions of each file.
 *
 * All locations are looked up in one pass over the line tables.
 */
#ifndef GP_SYMBOLS_SYMBOL_SOURCE_H
#define GP_SYMBOLS_SYMBOL_SOURCE_H

#include "debug/source_names.h"
#include "symbols/symtab.h"

typedef struct gp_symbol_sources {
  size_t symbols;
  uint32_t *file;       /* for each symbol: the number of its file, or GP_NONE */
  uint32_t *line;       /* for each symbol: the line of its first address, from 1; of a
                           function that was only inlined, where it is declared */

  /* files, in the order in which the image's symbol table first refers to them */
  gp_source_names files;
  size_t *start;        /* for each file: its first row in `by_file`. One more element has
                           the end of the last file's rows */
  uint32_t *by_file;    /* symbols with a file, sorted by file, then by address */
} gp_symbol_sources;

/* Looks up the sources of symbols: of those with `wanted[symbol]`, and others without
 * extra cost; of all if `wanted` is NULL. The address of `sources` must not change
 * afterwards. Fails only if there is no memory. */
bool gp_symbol_sources_read(gp_symbol_sources *sources, const gp_symtab *symtab,
                            const gp_image *image, const bool *wanted, gp_error *error);

/* Sorts symbol numbers as GNU gprof does for execution counts: by file name, line and
 * address; by address alone if one of the two symbols has no file. This comparison is not
 * transitive, so the result depends on the sort algorithm and the input order: `rows`
 * must be ascending. False if there is no memory. */
bool gp_symbol_sources_sort(const gp_symbol_sources *sources, uint32_t *rows,
                            size_t count);

void gp_symbol_sources_free(gp_symbol_sources *sources);

#endif
