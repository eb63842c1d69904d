/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names in debugging information.
 *
 * A function that was inlined wherever it is called is no symbol any more. Only its
 * debugging information still has the name, among those of variables and types.
 */
#ifndef GP_OBJECT_DEBUG_STR_H
#define GP_OBJECT_DEBUG_STR_H

#include "object/image.h"

/* Whether .debug_str has that text. Others are not looked at: names of up to three
 * characters stand elsewhere, and linkers may have a text be the end of a longer one. */
bool gp_debug_str_has(const gp_image *image, const char *name);

#endif
