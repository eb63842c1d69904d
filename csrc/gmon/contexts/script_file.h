/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the list of functions in the profile of a Lua program. */
#ifndef GP_GMON_CONTEXTS_SCRIPT_FILE_H
#define GP_GMON_CONTEXTS_SCRIPT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Reads the list of the context profile at `path`, without checking it. Sets *bytes,
 * which the caller frees; to NULL if the profile is not of a Lua program. */
bool gp_script_functions_read(const char *path, unsigned char **bytes, size_t *size,
                              gp_error *error);

#endif
