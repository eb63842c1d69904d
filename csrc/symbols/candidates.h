/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Chooses the symbols that become functions.
 *
 * The symbols come from the image's symbol table, or from a symbol file that replaces it.
 * A map replaces the names of symbols with the names of their object files. symtab.h then
 * sorts the symbols and keeps one per address.
 *
 * The rules for an image are GNU gprof's. The default policy adds every symbol typed as a
 * function. So clones made by optimizing compilers ("f.isra.0", "f.part.0") are separate
 * functions.
 */
#ifndef GP_SYMBOLS_CANDIDATES_H
#define GP_SYMBOLS_CANDIDATES_H

#include "base/trace.h"
#include "object/image.h"
#include "symbols/policy.h"
#include "symbols/symfile.h"

enum {
  GP_STATIC = 1,    /* local to its file */
  GP_FUNCTION = 2,  /* typed as a function, where the format has types */
  GP_MAPPED = 4,    /* represents an object file in a map, and has its name */
  GP_CALLERS = 8    /* represents all code outside a shared library that calls into it */
};

typedef struct gp_symtab_options {
  bool no_static;       /* omit local symbols */
  bool functions_only;  /* omit local symbols that are not typed as functions */
  const gp_policy *policy;    /* decides which symbols are functions */
  bool outside;         /* for a shared library: add a symbol for its callers, and one for
                           the stubs in .plt */
  bool gaps;            /* the image is stripped: the table may be empty, and is completed
                           by unnamed_code.h */
  const gp_symfile *symbols;  /* replaces the image's symbols; or NULL */
  const gp_symfile *map;      /* a map of object files; or NULL */
  const gp_trace *trace;      /* or NULL */
} gp_symtab_options;

/* Source file number of the local symbols before the first BSF_FILE symbol. */
enum { GP_UNKNOWN_FILE = 1 };

typedef struct gp_candidate {
  uint64_t address;
  const char *name;   /* string of the image or the symbol file */
  uint32_t order;     /* row in the symbol table or the symbol file */
  uint32_t file;      /* number of the source file to which the symbol is local; 0 if
                         global */
  uint32_t owner;     /* set by cold_parts.c: the function that the symbol is a part of;
                         initially GP_NONE */
  uint8_t flags;
} gp_candidate;

typedef struct gp_candidates {
  gp_candidate *rows;
  size_t count, capacity;
  size_t table_size;  /* number of symbols in the source table */
  uint32_t last_file; /* number of the last source file in the table */
} gp_candidates;

/* Chooses symbols, in the order of the table. Errors: those of gp_image_read_symbols; no
 * memory. */
bool gp_candidates_choose(gp_candidates *chosen, gp_image *image,
                          const gp_symtab_options *options, gp_error *error);
void gp_candidates_free(gp_candidates *chosen);

#endif
