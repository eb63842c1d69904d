/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches for a name in debugging information.
 *
 * A function that was inlined at all its calls has no symbol. Its name is still in the
 * debugging information, among the names of variables and types.
 */
#ifndef GP_OBJECT_DEBUG_STR_H
#define GP_OBJECT_DEBUG_STR_H

#include "object/image.h"

/* Whether a string is the one that is searched for. */
typedef bool gp_string_test(const char *string, void *context);

/* Whether .debug_str contains a string with `word` in it that `accept` returns true
 * for. */
bool gp_debug_str_search(const gp_image *image, const char *word, gp_string_test *accept,
                         void *context);

/* Whether the debugging information contains the string `name`. Names of up to three
 * characters are among the attributes of functions, in .debug_info. Misses some names: a
 * linker may merge a string into the end of a longer one. */
bool gp_debug_str_has(const gp_image *image, const char *name);

#endif
