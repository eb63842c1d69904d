/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The function symbols.
 *
 * One symbol per address, in address order, of those that stand for functions
 * (candidates.h). A symbol reaches to the byte before the next one: sizes play no
 * role, so that every address between the first and the last belongs to one.
 *
 * The cold part that was split from a function ("f.cold") is a symbol that the function
 * owns, if the policy is cold_parts_owned: a lookup there answers with the function.
 */
#ifndef GP_SYMBOLS_SYMTAB_H
#define GP_SYMBOLS_SYMTAB_H

#include "base/range.h"
#include "debug/source_names.h"
#include "symbols/candidates.h"

/* Columns over the symbols, which are numbered from 0 in address order. */
typedef struct gp_symtab {
  size_t count;
  uint64_t *address;
  const char **name;    /* as the table has it; belongs to the image or the file */
  uint8_t *flags;
  uint32_t *order;      /* the first place in the table of a symbol at that address */
  uint32_t *owner;      /* whose part it is; its own number for a function.
                           NULL as long as every symbol is its own */

  /* in a table by line (linetab.h), per symbol; NULL in one of functions */
  uint32_t *function;   /* the function whose code it is; its own number for a function */
  uint32_t *next_line;  /* chain of a function's lines, which begins with its own;
                           GP_NONE at the end */
  uint32_t *origin;     /* the symbol of the table of functions whose code it is */
  uint32_t *file;       /* a number in `files`, or GP_NONE */
  uint32_t *line;       /* from 1; 0 if the file is not known */
  gp_source_names *files;      /* as the debugging information spells them */

  /* in a table of several objects (joined.h), per symbol; NULL in one of an image */
  uint64_t *end;        /* the last address; below the first if it has no code */
  const char **object;  /* the library's name, or NULL */
  char *text;           /* names that are the table's own */

  uint32_t outside;     /* stands for all that is not in a shared library and calls it,
                           behind all code; or GP_NONE */
  uint64_t text_high;   /* address behind .text: where the last symbol ends */
  const gp_trace *trace;  /* what the graph goes by, too; or NULL */
  const gp_policy *policy;  /* what it was made by, and later stages go by */
  bool sourceless;      /* from a symbol file: nothing is known of source lines */
} gp_symtab;

/* Errors: no symbols, no functions among them. The image, and the files that the
 * options name, must outlive the table. */
bool gp_symtab_build(gp_symtab *symtab, gp_image *image,
                     const gp_symtab_options *options, gp_error *error);
void gp_symtab_free(gp_symtab *symtab);

/* How many underscores a name begins with, at most 2: of several names at one address
 * that with fewer is preferred. */
unsigned gp_underscores(const char *name);

/* The last address of a symbol; for the last symbol that of .text, which may lie below
 * its start. */
uint64_t gp_symtab_end(const gp_symtab *symtab, uint32_t symbol);

/* The addresses of a symbol: empty if it ends below its start. An address of 2^64 - 1 is
 * left out. */
gp_range gp_symtab_range(const gp_symtab *symtab, uint32_t symbol);

/* The first symbol that begins above `address`; `count` if none does. */
uint32_t gp_symtab_above(const gp_symtab *symtab, uint64_t address);

/* The symbol that begins at `address`, or GP_NONE. */
uint32_t gp_symtab_at(const gp_symtab *symtab, uint64_t address);

/* The function whose code is at `address`, or GP_NONE. */
uint32_t gp_symtab_find(const gp_symtab *symtab, uint64_t address);

/* In a table by line: whether a symbol is a line in the middle of a function. */
static inline bool gp_symtab_is_line(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->function && symtab->function[symbol] != symbol;
}

/* The function that a symbol belongs to: mostly itself. */
static inline uint32_t gp_symtab_owner(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->owner ? symtab->owner[symbol] : symbol;
}

#endif
