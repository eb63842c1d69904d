/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an image imports from shared libraries. */
#ifndef GP_OBJECT_IMPORTS_H
#define GP_OBJECT_IMPORTS_H

#include "object/image.h"

/* Whether the image imports mcount, which code compiled with -pg calls. Looks at the
 * dynamic symbols, and at the symbol table if it was read before: a debugging file has no
 * dynamic symbols. True if there is no memory to find out. */
bool gp_imports_mcount(const gp_image *image);

/* Whether the image imports or defines a symbol with one of `count` names. Looks at the
 * same symbols as gp_imports_mcount. True if there is no memory to find out. */
bool gp_image_mentions_any(const gp_image *image, const char *const *names, size_t count);

/* Returns the name of a shared library that an ELF image needs: "libm.so.6" (free() it).
 * Libraries are numbered from 0. NULL if there are fewer, or no memory. */
char *gp_needed_library(const gp_image *image, size_t number);

#endif
