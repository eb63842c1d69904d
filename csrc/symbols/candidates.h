/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols that stand for functions.
 *
 * Chooses them from the image's symbol table, or from a symbol file in its place, and
 * applies a map, which gives them the names of object files. What is chosen gets into
 * order, and one of it a place at each address, in symtab.h.
 *
 * The rules for an image are those of GNU gprof. The default policy adds whatever is
 * typed as a function, so that the clones that optimising compilers make ("f.isra.0",
 * "f.part.0") are functions of their own.
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
  GP_MAPPED = 4,    /* stands for an object file of a map, whose name it bears */
  GP_CALLERS = 8    /* stands for all that is not in a shared library and calls it */
};

typedef struct gp_symtab_options {
  bool no_static;       /* leave local symbols out */
  bool functions_only;  /* leave local symbols out that are not typed */
  const gp_policy *policy;    /* what counts as a function */
  bool outside;         /* of a shared library: add one for its callers, and one for the
                           stubs of its procedure linkage */
  const gp_symfile *symbols;  /* to be taken instead of the image's; or NULL */
  const gp_symfile *map;      /* of object files; or NULL */
  const gp_trace *trace;      /* or NULL */
} gp_symtab_options;

typedef struct gp_candidate {
  uint64_t address;
  const char *name;   /* belongs to the image or to the file */
  uint32_t order;     /* place in the symbol table that it is from */
  uint32_t file;      /* which file it is local to, by number; 0 for a global one */
  uint32_t owner;     /* for symtab.c: whose part it is; GP_NONE here */
  uint8_t flags;
} gp_candidate;

typedef struct gp_candidates {
  gp_candidate *rows;
  size_t count, capacity;
  size_t table_size;  /* symbols in the table that they are from */
} gp_candidates;

/* Chooses, in the order of the table. Errors: the image has no symbols. */
bool gp_candidates_choose(gp_candidates *chosen, gp_image *image,
                          const gp_symtab_options *options, gp_error *error);
void gp_candidates_free(gp_candidates *chosen);

#endif
