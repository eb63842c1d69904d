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

/* Columns that a table by line adds, per symbol: made by profile/line_symtab.h. */
typedef struct gp_symtab_lines {
  uint32_t *function;   /* the function whose code it is; its own number for a function */
  uint32_t *next;       /* chain of a function's lines, which begins with its own;
                           GP_NONE at the end */
  uint32_t *origin;     /* the symbol of the table of functions whose code it is */
  uint32_t *file;       /* a number in `files`, or GP_NONE */
  uint32_t *line;       /* from 1; 0 if the file is not known */
  gp_source_names files;  /* as the debugging information spells them */
} gp_symtab_lines;

/* Columns that a table of several objects adds: made by profile/merged_objects.h. */
typedef struct gp_symtab_objects {
  uint64_t *end;        /* the last address; below the first if it has no code */
  const char **name;    /* the library's name; NULL for the program */
  char *text;           /* names that are the table's own */
} gp_symtab_objects;

/* Columns over the symbols, which are numbered from 0 in address order. */
typedef struct gp_symtab {
  size_t count;
  uint64_t *address;
  const char **name;    /* as the table has it; belongs to the image or the file */
  uint8_t *flags;
  uint32_t *order;      /* the first place in the table of a symbol at that address */
  uint32_t *owner;      /* the function it is part of; its own number for a function.
                           NULL if every symbol is its own */

  gp_symtab_lines *lines;      /* NULL in a table of functions */
  gp_symtab_objects *objects;  /* NULL in a table of one image */

  uint32_t outside;     /* stands for the callers of a shared library from outside, after
                           all code; or GP_NONE */
  uint64_t text_high;   /* one past the end of .text, where the last symbol ends */
  const gp_trace *trace;  /* for later stages, too; or NULL */
  const gp_policy *policy;  /* for later stages, too */
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

/* The first symbol after those of the same function's code: in a table by line these are
 * several, else one. */
uint32_t gp_symtab_code_end(const gp_symtab *symtab, uint32_t symbol);

/* The symbol whose samples and calls include those of a symbol: mostly itself, for a cold
 * part its function. */
static inline uint32_t gp_symtab_owner(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->owner ? symtab->owner[symbol] : symbol;
}

/* The function whose code a symbol is, be that a cold part or a line of it. */
static inline uint32_t gp_symtab_function(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->lines ? symtab->lines->function[symbol]
                       : gp_symtab_owner(symtab, symbol);
}

/* Whether a symbol is a line in the middle of a function. */
static inline bool gp_symtab_is_line(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->lines && symtab->lines->function[symbol] != symbol;
}

/* The name of the shared library that a symbol is of, or NULL. */
static inline const char *gp_symtab_library(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->objects ? symtab->objects->name[symbol] : NULL;
}

#endif
