/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which function the code at an address is of: the innermost one that is inlined there.
 *
 * Debugging information tells. It has the names of the source, and where it does not have
 * the symbol, too, libbfd goes through all symbols that it is given for each function. A
 * namer gives it those few that may be meant.
 */
#ifndef GP_NAMER_H
#define GP_NAMER_H

#include "image.h"

typedef struct gp_namer {
  const gp_image *image;
  asymbol **symbols;      /* those in .text, by address, else as in the symbol table */
  size_t count;
  asymbol **few;          /* room for as many and a NULL */
} gp_namer;

/* Prepares to name functions. The image's symbols have been read, and outlive the namer. */
bool gp_namer_init(gp_namer *namer, const gp_image *image, gp_error *error);
void gp_namer_free(gp_namer *namer);

/* The symbol of the function that the code at an address of .text is of; or NULL. The
 * string belongs to the image. */
const char *gp_namer_at(gp_namer *namer, uint64_t address);

#endif
