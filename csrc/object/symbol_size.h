/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far symbols reach by their own account.
 *
 * Symbols of ELF have a size, which libbfd keeps to itself: it tells it where it prints
 * a symbol, as for objdump -t. That takes about a microsecond, so this is for the few
 * symbols that a question is about.
 */
#ifndef GP_OBJECT_SYMBOL_SIZE_H
#define GP_OBJECT_SYMBOL_SIZE_H

#include <stdio.h>

#include "object/image.h"

/* Where libbfd prints: what is behind the size has no room there. */
typedef struct gp_symbol_sizes {
  const gp_image *image;
  FILE *stream;
  char text[256];
} gp_symbol_sizes;

/* Opens that. False if there is no memory. Its address must not change from here on. */
bool gp_symbol_sizes_open(gp_symbol_sizes *extents, const gp_image *image);
void gp_symbol_sizes_close(gp_symbol_sizes *extents);

/* Whether the format of the image knows sizes. */
bool gp_symbol_sizes_are_known(const gp_image *image);

/* The size of a symbol, in bytes; 0 for one that has none, as those of assembler, and
 * those that libbfd makes up. */
uint64_t gp_symbol_sizes_size(gp_symbol_sizes *extents, asymbol *symbol);

/* The address behind a symbol's code: by its size, or else that where its section ends,
 * beyond which nothing is of it. UINT64_MAX for one that is in no section. */
uint64_t gp_symbol_sizes_end(gp_symbol_sizes *extents, asymbol *symbol);

#endif
