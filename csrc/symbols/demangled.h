/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbol names as shown in reports. Each name is demangled once, on demand.
 */
#ifndef GP_SYMBOLS_DEMANGLED_H
#define GP_SYMBOLS_DEMANGLED_H

#include "base/text_store.h"
#include "object/image.h"
#include "symbols/symtab.h"

typedef struct gp_demangled {
  const char **name;      /* for each symbol: its demangled name, NULL until needed; the
                             symbol table's string if the name is not mangled */
  uint32_t *ahead;        /* for each symbol: how it was demangled ahead, until its name
                             is needed; else 0. NULL if no name was */
  gp_text_store text;     /* storage for demangled strings */
} gp_demangled;

/* Returns the demangled name of a symbol, valid until gp_demangled_free; NULL if there is
 * no memory. */
const char *gp_demangled_name(gp_demangled *names, const gp_image *image,
                              const gp_symtab *symtab, uint32_t symbol);

/* Demangles the names of `count` different symbols with `threads` threads. This changes
 * neither the names nor what the limits refuse (see demangle.h): a name counts when it is
 * needed. Names for which there is no memory are demangled then. */
void gp_demangled_ahead(gp_demangled *names, const gp_image *image,
                        const gp_symtab *symtab, const uint32_t *symbols, size_t count,
                        size_t threads);

void gp_demangled_free(gp_demangled *names);

#endif
