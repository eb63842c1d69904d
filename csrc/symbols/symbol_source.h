/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where all functions come from.
 *
 * The source file and line of every symbol, looked up in one pass over the line tables,
 * and which functions there are in a file.
 */
#ifndef GP_SYMBOLS_SYMBOL_SOURCE_H
#define GP_SYMBOLS_SYMBOL_SOURCE_H

#include "debug/source_names.h"
#include "symbols/symtab.h"

typedef struct gp_symbol_sources {
  size_t symbols;
  uint32_t *file;       /* per symbol: the number of its file, or GP_NONE */
  uint32_t *line;       /* per symbol: of its entry, from 1 */

  /* in the order in which the image's symbol table names them first */
  gp_source_names files;
  size_t *start;        /* per file, its first row in `by_file`; one more than files */
  uint32_t *by_file;    /* symbols with a file, by file, then by address */
} gp_symbol_sources;

/* Looks the sources of all symbols up. The address of `sources` must not change from here
 * on. */
bool gp_symbol_sources_read(gp_symbol_sources *sources, const gp_symtab *symtab,
                            const gp_image *image, gp_error *error);
/* Sorts numbers of symbols, ascending ones, as GNU gprof does for execution counts: by
 * name of the file, line, address; where either has no file by address alone. That is no
 * order, and only the same sort of the same symbols comes to the same end. False if there
 * is no memory. */
bool gp_symbol_sources_sort(const gp_symbol_sources *sources, uint32_t *rows,
                            size_t count);

void gp_symbol_sources_free(gp_symbol_sources *sources);

#endif
