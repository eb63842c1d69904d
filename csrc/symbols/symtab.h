/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of function symbols.
 *
 * It has one symbol per address, in address order, chosen by candidates.h. A symbol
 * extends to the next one; symbol sizes are ignored. So every address from the first
 * symbol to the end of .text belongs to a symbol.
 *
 * With the policy cold_parts_owned, the cold part split from a function ("f.cold") is a
 * symbol owned by the function. A lookup of an address in the cold part gives the
 * function.
 */
#ifndef GP_SYMBOLS_SYMTAB_H
#define GP_SYMBOLS_SYMTAB_H

#include "base/range.h"
#include "debug/inline_map.h"
#include "symbols/candidates.h"

/* Additional columns of a symbol table by line, with a row for each symbol. Built by
 * profile/line_symtab.h. */
typedef struct gp_symtab_lines {
  uint32_t *function;   /* the function to which the line belongs; for a function, its own
                           number */
  uint32_t *next;       /* the next line of the same function, in a list that begins with
                           the function; GP_NONE at the end */
  uint32_t *origin;     /* the symbol that contains this code in the table of functions */
  uint32_t *file;       /* number of the source file in `files`, or GP_NONE */
  uint32_t *line;       /* line number, from 1; 0 if the file is not known */
  gp_source_names files;
  gp_source_names names;  /* names of inlined functions, for `name` in the table */
  gp_inline_gaps gaps;    /* code whose inlined functions are unknown */
  bool chained;           /* `chains` was requested; it may still be empty */
  gp_inline_map chains;   /* the functions of the code with records, if requested; then a
                             line has one scope of the map. Otherwise empty */
} gp_symtab_lines;

/* An object in a symbol table of several objects. */
typedef struct gp_symtab_object {
  const char *name;     /* the library's name; NULL for the program */
  uint64_t slide;       /* number added to all addresses of the object */
} gp_symtab_object;

/* Additional columns of a symbol table of several objects. Built by
 * profile/merged_objects.h. */
typedef struct gp_symtab_objects {
  const char **name;    /* for each symbol: the name of its object */
  gp_symtab_object *object;  /* in address order; the program is the first */
  size_t count;         /* of objects */
  char *text;           /* storage for names of libraries and their functions */
} gp_symtab_objects;

/* The code of functions that were inlined into others. Built by
 * inlines/inlined_symtab.h. Each such function has a symbol for this code, after all
 * other symbols, at an address without code. If the function was also compiled, the
 * symbol is a part of it. */
typedef struct gp_symtab_inlining {
  gp_inline_map map;
  uint32_t *symbol;     /* for each scope of the map: the symbol of its function; GP_NONE
                           for a subprogram. If its name is unknown, or if nothing was
                           recorded in it: that of the scope around it */
  uint32_t first;       /* the first of these symbols */
  uint32_t *scope;      /* for each of these symbols: one of its scopes */
  gp_inline_gaps *gaps; /* for each object: code whose inlined functions are unknown */
  size_t objects;
} gp_symtab_inlining;

/* Symbols are numbered from 0 in address order. */
typedef struct gp_symtab {
  size_t count;
  uint64_t *address;
  const char **name;    /* not demangled; string of the image, the symbol file, `lines`
                           or `inlining` */
  uint8_t *flags;       /* GP_STATIC ...; see candidates.h */
  uint32_t *order;      /* lowest row, in the image's symbol table, of the symbols at the
                           same address */
  uint32_t *owner;      /* the function that the symbol is a part of; for a function, its
                           own number. The column is NULL if all symbols are functions */
  uint64_t *end;        /* the last address of the symbol; below its first if it has no
                           code. The column is NULL if symbols extend to the next one */

  gp_symtab_lines *lines;      /* NULL in a table of functions */
  gp_symtab_objects *objects;  /* NULL in a table of one image */
  gp_symtab_inlining *inlining;  /* NULL if inlined functions have no symbols */

  char *unnamed;        /* the name of code without a symbol (see unnamed_code.h), or
                           NULL */
  uint32_t outside;     /* the symbol "<outside>", after all code, for callers outside a
                           shared library; or GP_NONE */
  bool last_unsampled;  /* the last symbol gets no samples */
  uint64_t text_high;   /* one past the end of .text, where the last symbol ends */
  const gp_trace *trace;    /* also used by later stages; or NULL */
  const gp_policy *policy;  /* also used by later stages */
  bool sourceless;      /* the symbols are from a symbol file: their source locations are
                           unknown */
} gp_symtab;

/* Builds the table. The image and the files in the options must outlive the table.
 * Errors: no symbols, or none is a function, without `gaps`; no memory. */
bool gp_symtab_build(gp_symtab *symtab, gp_image *image,
                     const gp_symtab_options *options, gp_error *error);
void gp_symtab_free(gp_symtab *symtab);

/* The number of underscores at the start of a name, at most 2. If several names have the
 * same address, the one with fewer underscores is preferred. */
unsigned gp_underscores(const char *name);

/* Returns the last address of a symbol. The last symbol of the table ends where .text
 * ends, even if it begins beyond .text; then the result is below its start. */
uint64_t gp_symtab_end(const gp_symtab *symtab, uint32_t symbol);

/* Returns the address range of a symbol; empty if it ends below its start. The range
 * never includes the address 2^64 - 1. */
gp_range gp_symtab_range(const gp_symtab *symtab, uint32_t symbol);

/* Returns the first symbol that begins above `address`; `count` if none does. */
uint32_t gp_symtab_above(const gp_symtab *symtab, uint64_t address);

/* Returns the symbol that begins at `address`, or GP_NONE. */
uint32_t gp_symtab_at(const gp_symtab *symtab, uint64_t address);

/* Returns the function whose code is at `address`, or GP_NONE. */
uint32_t gp_symtab_find(const gp_symtab *symtab, uint64_t address);

/* Like gp_symtab_find, and faster if the address is in the symbol `*near`, where the last
 * lookup found one. Sets `*near`, which is 0 at first. */
uint32_t gp_symtab_find_near(const gp_symtab *symtab, uint64_t address, uint32_t *near);

/* In a table by line, returns one past the last symbol with the same origin as `symbol`;
 * in other tables, `symbol` + 1. */
uint32_t gp_symtab_code_end(const gp_symtab *symtab, uint32_t symbol);

/* Returns the symbol to which a symbol's samples and calls are assigned: for a cold part,
 * its function; else the symbol itself. */
static inline uint32_t gp_symtab_owner(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->owner ? symtab->owner[symbol] : symbol;
}

/* Returns the function to which a symbol (a function, a cold part or a line) belongs. */
static inline uint32_t gp_symtab_function(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->lines ? symtab->lines->function[symbol]
                       : gp_symtab_owner(symtab, symbol);
}

/* Whether a symbol is a line within a function, not the function itself. */
static inline bool gp_symtab_is_line(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->lines && symtab->lines->function[symbol] != symbol;
}

/* Whether a symbol stands for inlined code. */
static inline bool gp_symtab_is_inlined(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->inlining && symbol >= symtab->inlining->first;
}

/* Returns the name of the shared library that a symbol is from; NULL for the program. */
static inline const char *gp_symtab_library(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->objects ? symtab->objects->name[symbol] : NULL;
}

#endif
