/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that runs out when it is told to: included in front of each source of the core.
 *
 * Only the core's own requests are meant, and those of states of Lua that starve.c makes.
 * libbfd and libiberty ask elsewhere, and answer for themselves.
 */
#ifndef GP_SCARCE_H
#define GP_SCARCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *scarce_malloc(size_t size);
void *scarce_calloc(size_t count, size_t size);
void *scarce_realloc(void *memory, size_t size);
char *scarce_strdup(const char *text);
int scarce_asprintf(char **text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void scarce_free(void *memory);

#define malloc scarce_malloc
#define calloc scarce_calloc
#define realloc scarce_realloc
#define strdup scarce_strdup
#define asprintf scarce_asprintf
#define free scarce_free

/* From now on the n-th request fails, and all behind it if `lasting`; none if n is 0.
 * Returns how many there have been since the last call. */
long scarce_begin(long failing, bool lasting);

/* If requests have begun to fail, they do so no more. */
void scarce_relieve(void);

/* Whether the request that is made now fails: for who asks for memory by other means. */
bool scarce_fails(void);

/* How many blocks of the core's are there that were not freed. */
size_t scarce_live(void);

#endif
