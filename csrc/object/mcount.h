/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a shared library was compiled with -pg. */
#ifndef GP_OBJECT_MCOUNT_H
#define GP_OBJECT_MCOUNT_H

#include "object/image.h"

/* Whether the image imports mcount, which code compiled with -pg calls. Looks at the
 * dynamic symbols, and at the symbol table if it was read before: a debugging file has no
 * dynamic symbols. Also true if there is no memory to read them. */
bool gp_imports_mcount(const gp_image *image);

#endif
