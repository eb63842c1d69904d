/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of symbols as reports show them: each demangled once, on demand.
 */
#ifndef GP_SYMBOLS_DEMANGLED_H
#define GP_SYMBOLS_DEMANGLED_H

#include "object/image.h"
#include "symbols/symtab.h"

typedef struct gp_demangled {
  const char **name;      /* per symbol; NULL until asked for. The symbol table's own if
                             there is nothing to demangle */
  struct gp_demangled_block *newest;  /* the strings of the others */
} gp_demangled;

/* The name of a symbol, valid until gp_demangled_free; NULL if there is no memory. */
const char *gp_demangled_name(gp_demangled *names, const gp_image *image,
                              const gp_symtab *symtab, uint32_t symbol);

void gp_demangled_free(gp_demangled *names);

#endif
