/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The function symbols.
 *
 * Chooses those symbols of an image that stand for functions, one per address,
 * in address order. A symbol reaches to the byte before the next one: sizes play
 * no role, so that every address between the first and the last belongs to one.
 *
 * The rules are those of GNU gprof, with two differences unless compatibility is
 * asked for. Whatever is typed as a function counts, so that the clones that
 * optimising compilers make ("f.isra.0", "f.part.0") are functions of their own.
 * And the cold part that was split from a function ("f.cold") is a symbol that
 * another one owns: a lookup there answers with the function.
 */
#ifndef GP_SYMTAB_H
#define GP_SYMTAB_H

#include "image.h"
#include "index.h"

enum {
  GP_STATIC = 1,    /* local to its file */
  GP_FUNCTION = 2   /* typed as a function, where the format has types */
};

typedef struct gp_symtab_options {
  bool no_static;       /* leave local symbols out */
  bool functions_only;  /* leave local symbols out that are not typed */
  bool gnu_compat;      /* choose exactly as GNU gprof does */
  const struct gp_opcodes *opcodes;  /* to find calls in the code with, or NULL: not
                                        the symbol table's business, but a profile's */
} gp_symtab_options;

/* Columns over the symbols, which are numbered from 0 in address order. */
typedef struct gp_symtab {
  size_t count;
  uint64_t *address;
  const char **name;    /* as the symbol table has it; belongs to the image */
  uint8_t *flags;
  uint32_t *owner;      /* whose part it is; its own number for a function.
                           NULL as long as every symbol is its own */
  uint64_t text_high;   /* address behind .text: where the last symbol ends */
} gp_symtab;

bool gp_symtab_build(gp_symtab *symtab, const gp_image *image,
                     const gp_symtab_options *options, gp_error *error);
void gp_symtab_free(gp_symtab *symtab);

/* The last address of a symbol; that of the last symbol may lie below its start. */
uint64_t gp_symtab_end(const gp_symtab *symtab, uint32_t symbol);

/* The first symbol that begins above `address`; `count` if none does. */
uint32_t gp_symtab_above(const gp_symtab *symtab, uint64_t address);

/* The function whose code is at `address`, or GP_NONE. */
uint32_t gp_symtab_find(const gp_symtab *symtab, uint64_t address);

/* The function that a symbol belongs to: mostly itself. */
static inline uint32_t gp_symtab_owner(const gp_symtab *symtab, uint32_t symbol) {
  return symtab->owner ? symtab->owner[symbol] : symbol;
}

#endif
