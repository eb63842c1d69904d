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

/* Returns the names of the shared libraries that an ELF image needs, such as "libm.so.6",
 * each ended by a NUL (free() them). Sets `*count` to their number. The list ends at a
 * name that cannot be read, or if there is no memory; NULL if it is empty. */
char *gp_needed_libraries(const gp_image *image, size_t *count);

/* Whether an ELF image is a shared library: it is linked dynamically, but has no place
 * where the dynamic linker leaves information for debuggers, as all programs have. */
bool gp_is_shared_library(const gp_image *image);

#endif
