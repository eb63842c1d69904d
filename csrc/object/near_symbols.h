/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols near an address.
 *
 * If debugging information and the symbol table name a function differently, libbfd
 * searches, for each address, all symbols that it is given. This happens with anonymous
 * namespaces, static C++ functions and assembler code. So we give libbfd only the few
 * symbols among which it would choose.
 */
#ifndef GP_OBJECT_NEAR_SYMBOLS_H
#define GP_OBJECT_NEAR_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/libbfd.h"

/* The maximum number of labels to skip when searching for a function. Without this limit,
 * each search would go back to the first symbol if no symbol has the type of a
 * function. */
#define GP_NEAR_LABELS ((size_t)64)

/* The maximum number of symbols at one address to return. libbfd compares all of them for
 * each line, and mostly chooses the first one. Linkers that merge equal functions put
 * hundreds of symbols at one address. */
#define GP_NEAR_AT_ADDRESS ((size_t)64)

typedef struct gp_near_symbols {
  asymbol **symbols;   /* the symbols of one section, by address, then by table order */
  size_t count;
  asymbol *found[GP_NEAR_LABELS + GP_NEAR_AT_ADDRESS + 1];  /* result of the last search,
                                                               ended by a NULL */
  uint64_t low, high;  /* addresses for which `found` is valid: low to high - 1 */
} gp_near_symbols;

/* Collects the symbols of a section. False if there is no memory. */
bool gp_near_symbols_init(gp_near_symbols *near, asymbol **symbols, size_t count,
                          const asection *section);
void gp_near_symbols_free(gp_near_symbols *near);

/* Finds the last function that begins at or below `address`. Returns its symbol and all
 * later symbols that are not above `address`, ended by a NULL. Valid until the next
 * call. */
asymbol **gp_near_symbols_find(gp_near_symbols *near, uint64_t address);

#endif
