/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols near an address.
 *
 * libbfd goes through all symbols that it is given whenever it looks for the
 * function of an address that debugging information does not name as the symbol
 * table does: of anonymous namespaces, static functions of C++, assembler. These are
 * the few that it would choose from.
 */
#ifndef GP_OBJECT_NEAR_SYMBOLS_H
#define GP_OBJECT_NEAR_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bfd.h insists on a config.h, or on these two names */
#ifndef PACKAGE
#define PACKAGE "gprof"
#define PACKAGE_VERSION "scm"
#endif
#include <bfd.h>

typedef struct gp_near_symbols {
  asymbol **symbols;   /* of one section, by address, else as in the symbol table */
  size_t count;
  asymbol **few;       /* room for as many and a NULL: the last answer, */
  uint64_t low, high;  /*   which is the same for addresses in [low, high) */
} gp_near_symbols;

/* Sorts the symbols of a section. False if there is no memory. */
bool gp_near_symbols_init(gp_near_symbols *nearby, asymbol **symbols, size_t count,
                          const asection *section);
void gp_near_symbols_free(gp_near_symbols *nearby);

/* The last function at or below an address and what lies between, up to a NULL. They
 * stand until the next call. */
asymbol **gp_near_symbols_find(gp_near_symbols *nearby, uint64_t address);

#endif
