/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols near an address.
 *
 * If debugging information does not name the function of an address as the symbol table
 * does, libbfd searches all symbols that it is given, for each address. That concerns
 * anonymous namespaces, static C++ functions and assembler code. This gives libbfd only
 * the few symbols that it would choose from.
 */
#ifndef GP_OBJECT_NEAR_SYMBOLS_H
#define GP_OBJECT_NEAR_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/libbfd.h"

typedef struct gp_near_symbols {
  asymbol **symbols;   /* of one section, by address, then by table order */
  size_t count;
  asymbol **found;     /* the last answer, ended by a NULL, which holds */
  uint64_t low, high;  /*   for addresses in [low, high) */
} gp_near_symbols;

/* Collects the symbols of a section. False if there is no memory. */
bool gp_near_symbols_init(gp_near_symbols *near, asymbol **symbols, size_t count,
                          const asection *section);
void gp_near_symbols_free(gp_near_symbols *near);

/* The last function at or below an address and the symbols between, ended by a NULL.
 * Valid until the next call. */
asymbol **gp_near_symbols_find(gp_near_symbols *near, uint64_t address);

#endif
