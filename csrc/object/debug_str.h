/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches the names in debugging information.
 *
 * A function that was inlined wherever it is called has no symbol. Only debugging
 * information still has its name, among those of variables and types.
 */
#ifndef GP_OBJECT_DEBUG_STR_H
#define GP_OBJECT_DEBUG_STR_H

#include "object/image.h"

/* Whether .debug_str has a string. Not every name is found: those of up to three
 * characters are stored elsewhere, and linkers may store a string as the end of a longer
 * one. */
bool gp_debug_str_has(const gp_image *image, const char *name);

#endif
