/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that runs out when it is told to: included in front of each source of the core.
 *
 * Only the core's own requests are meant. libbfd and Lua ask elsewhere, and answer for
 * themselves.
 */
#ifndef GP_SCARCE_H
#define GP_SCARCE_H

#include <stdlib.h>
#include <string.h>

void *scarce_malloc(size_t size);
void *scarce_calloc(size_t count, size_t size);
void *scarce_realloc(void *memory, size_t size);
char *scarce_strdup(const char *text);

#define malloc scarce_malloc
#define calloc scarce_calloc
#define realloc scarce_realloc
#define strdup scarce_strdup

#endif
