/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The executable in a context profile. The profile of a Lua program contains one: it
 * has the symbols and lines of the program's functions (see doc/contexts.md).
 */
#ifndef GP_GMON_CONTEXT_IMAGE_H
#define GP_GMON_CONTEXT_IMAGE_H

#include <stddef.h>

#include "base/error.h"

/* Reads the executable, which the caller frees. Fails if the profile has none. Does
 * not check the rest of the profile. */
bool gp_context_image(const char *path, unsigned char **bytes, size_t *size,
                      gp_error *error);

#endif
